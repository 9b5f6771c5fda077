"""Finding and loading plugins: a broken one is reported, and never stops the start."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

import pluggy

from clawtap_core import hookspecs
from clawtap_core.errors import ErrorCode, UsageError
from clawtap_core.model import PluginStatus

log = logging.getLogger(__name__)
GROUP = "clawtap"


def installed() -> list[EntryPoint]:
    """Every plugin that is installed beside ClawTap, by name."""
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A plugin's status and, when it is loaded, its hooks.

    Each plugin has a manager of its own, so that no call can reach another plugin's hooks.
    """

    status: PluginStatus
    manager: pluggy.PluginManager | None = None


def load(
    entries: Iterable[EntryPoint],
    *,
    only: Collection[str] | None = None,
    blocked: Collection[str] = (),
) -> list[Loaded]:
    """Load the entry points; `only` and `blocked` are names of entry points."""
    entries = list(entries)
    _check_names({entry.name for entry in entries}, only, blocked)
    found, seen = [], set[str]()
    for entry in entries:
        if entry.name in seen:
            found.append(_failed(entry, "broken", f"another plugin is named {entry.name!r} too"))
        elif entry.name in blocked or (only is not None and entry.name not in only):
            found.append(Loaded(_status(entry, "blocked")))
        else:
            found.append(_load_one(entry))
        seen.add(entry.name)
    return found


def _check_names(known: set[str], only: Collection[str] | None, blocked: Collection[str]) -> None:
    if unknown := (set(only or ()) | set(blocked)) - known:
        names = ", ".join(sorted(unknown))
        raise UsageError(
            f"no such plugin: {names} (installed: {', '.join(sorted(known)) or 'none'})",
            code=ErrorCode.UNKNOWN_PLUGIN,
        )


def _load_one(entry: EntryPoint) -> Loaded:
    try:
        plugin = entry.load()
    except ModuleNotFoundError as error:
        if error.name and f"{entry.module}.".startswith(f"{error.name}."):
            return _failed(entry, "missing", f"its module {entry.module!r} is not installed")
        return _failed(entry, "broken", f"{type(error).__name__}: {error}")
    except Exception as error:
        return _failed(entry, "broken", f"{type(error).__name__}: {error}")
    try:
        manager = register(plugin, entry.name)
    except Exception as error:
        return _failed(entry, "broken", str(error).replace("\n", " "))
    return Loaded(_status(entry, "loaded", hooks=hook_names(manager)), manager)


def register(plugin: object, name: str) -> pluggy.PluginManager:
    """A manager with this one plugin; raises what is wrong when its hooks do not fit."""
    if unknown := sorted(_marked(plugin) - set(vars(hookspecs))):
        raise LookupError(f"no such hook: {', '.join(unknown)}")
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name)
    return manager


def _marked(plugin: object) -> set[str]:
    """The names that the plugin marked as hook implementations."""
    found = set()
    for name in dir(plugin):
        options = getattr(getattr(plugin, name, None), f"{hookspecs.PROJECT}_impl", None)
        if isinstance(options, dict):
            found.add(options.get("specname") or name)
    return found


def hook_names(manager: pluggy.PluginManager) -> tuple[str, ...]:
    """The hooks that the manager's plugin implements."""
    (plugin,) = manager.get_plugins()
    return tuple(sorted(caller.name for caller in manager.get_hookcallers(plugin) or []))


def _failed(entry: EntryPoint, status: str, error: str) -> Loaded:
    log.warning("plugin %s is %s: %s", entry.name, status, error, extra={"plugin": entry.name})
    return Loaded(_status(entry, status, error=error))


def _status(
    entry: EntryPoint, status: str, *, error: str | None = None, hooks: tuple[str, ...] = ()
) -> PluginStatus:
    distribution = entry.dist
    return PluginStatus(
        entry.name,
        status,
        distribution.name if distribution else None,
        distribution.version if distribution else None,
        error,
        hooks,
    )
