"""Find and load plugins; a broken one is reported and never stops the start."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

import pluggy

from clawtap_core import hookspecs
from clawtap_core.errors import ErrorCode, UsageError
from clawtap_core.host.failure import describe_failure
from clawtap_core.model import PluginStatus
from clawtap_core.words import USER_WORDS, UserWords

log = logging.getLogger(__name__)
GROUP = "clawtap"


def installed() -> list[EntryPoint]:
    """Return the entry point of every installed plugin, by name."""
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A plugin's status and, if loaded, its hooks.

    Each plugin has its own manager, so that no call reaches another plugin's hooks.
    """

    status: PluginStatus
    manager: pluggy.PluginManager | None = None


def load(
    entries: Iterable[EntryPoint],
    *,
    only: Collection[str] | None = None,
    blocked: Collection[str] = (),
) -> list[Loaded]:
    """Load the entry points; `only` and `blocked` are their names."""
    entries = list(entries)
    _check_names({entry.name for entry in entries}, only, blocked)
    plugins, seen = [], set[str]()
    for entry in entries:
        # Two distributions may use one name. Which of them is meant is not guessed.
        if entry.name in seen:
            plugins.append(_failed(entry, "broken", f"another plugin is named {entry.name!r} too"))
        elif entry.name in blocked or (only is not None and entry.name not in only):
            plugins.append(Loaded(_status(entry, "blocked")))
        else:
            plugins.append(_load_one(entry))
        seen.add(entry.name)
    return plugins


def _check_names(
    available: set[str], only: Collection[str] | None, blocked: Collection[str]
) -> None:
    if unknown := (set(only or ()) | set(blocked)) - available:
        names = ", ".join(sorted(unknown))
        raise UsageError(
            f"no such plugin: {names} (installed: {', '.join(sorted(available)) or 'none'})",
            code=ErrorCode.UNKNOWN_PLUGIN,
        )


def _load_one(entry: EntryPoint) -> Loaded:
    try:
        plugin = entry.load()
    except ModuleNotFoundError as error:
        # Its own module is missing, as after a half-finished uninstall; any other is its defect.
        if error.name and f"{entry.module}.".startswith(f"{error.name}."):
            return _failed(entry, "missing", f"its module {entry.module!r} is not installed")
        return _failed(entry, "broken", describe_failure(error))
    except Exception as error:
        return _failed(entry, "broken", describe_failure(error))
    try:
        manager = register(plugin, entry.name)
    except Exception as error:
        return _failed(entry, "broken", str(error).replace("\n", " "))
    return Loaded(_status(entry, "loaded", hooks=hook_names(manager)), manager)


def register(plugin: object, name: str) -> pluggy.PluginManager:
    """Return a manager with this plugin; raise if its hooks do not fit."""
    # pluggy ignores a hook with a misspelt name, which would then never be called.
    if unknown := sorted(_marked(plugin) - set(vars(hookspecs))):
        raise LookupError(f"no such hook: {', '.join(unknown)}")
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name)
    return manager


def _marked(plugin: object) -> set[str]:
    """Return the names marked as hook implementations."""
    names = set()
    for name in dir(plugin):
        options = getattr(getattr(plugin, name, None), f"{hookspecs.PROJECT}_impl", None)
        if isinstance(options, dict):
            names.add(options.get("specname") or name)
    return names


def hook_names(manager: pluggy.PluginManager) -> tuple[str, ...]:
    """Return the hooks that the manager's plugin implements."""
    (plugin,) = manager.get_plugins()
    return tuple(sorted(caller.name for caller in manager.get_hookcallers(plugin) or []))


def _failed(entry: EntryPoint, status: str, error: str) -> Loaded:
    log.warning("plugin %s is %s: %s", entry.name, status, error, extra={"plugin": entry.name})
    return Loaded(_status(entry, status, error=error))


def _status(
    entry: EntryPoint, status: str, *, error: str | None = None, hooks: tuple[str, ...] = ()
) -> PluginStatus:
    distribution = entry.dist
    user = USER_WORDS.get(entry.module.partition(".")[0], UserWords(""))
    return PluginStatus(
        entry.name,
        status,
        distribution.name if distribution else None,
        distribution.version if distribution else None,
        error,
        hooks,
        user_rules=user.rules,
        user_errors=tuple(f"{user.file}: {problem}" for problem in user.errors),
    )
