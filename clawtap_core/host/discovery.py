"""Find and load plugins; a broken one is reported and never stops the start."""

from __future__ import annotations

import inspect
import io
import logging
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from clawtap_core import hookspecs
from clawtap_core.errors import ErrorCode, UsageError
from clawtap_core.host.failure import describe_failure
from clawtap_core.host.limits import HookTimeout, TimeLimit
from clawtap_core.model import PluginStatus
from clawtap_core.words import USER_WORDS, UserWords

log = logging.getLogger(__name__)
GROUP = "clawtap"
# Every start waits for a plugin's import. A busy machine may need a second for ours.
SLOW_IMPORT = 3.0
LONGEST_IMPORT = 30.0


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
    limit: TimeLimit,
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
            plugins.append(_load_one(entry, limit))
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


def _load_one(entry: EntryPoint, limit: TimeLimit) -> Loaded:
    started = time.monotonic()
    try:
        with _without_terminal():
            plugin = limit(LONGEST_IMPORT, entry.load)
    except ModuleNotFoundError as error:
        # Its own module is missing, as after a half-finished uninstall; any other is its defect.
        if error.name and f"{entry.module}.".startswith(f"{error.name}."):
            return _failed(entry, "missing", f"its module {entry.module!r} is not installed")
        return _failed(entry, "broken", describe_failure(error))
    except HookTimeout:
        return _failed(entry, "broken", f"its import takes longer than {LONGEST_IMPORT:g} s")
    except Exception as error:
        return _failed(entry, "broken", describe_failure(error))
    seconds = time.monotonic() - started
    try:
        manager = register(plugin, entry.name)
    except Exception as error:
        return _failed(entry, "broken", str(error).replace("\n", " "))
    slow = f"its import took {seconds:.1f} s" if seconds >= SLOW_IMPORT else None
    if slow:
        log.warning("plugin %s is slow: %s", entry.name, slow, extra={"plugin": entry.name})
    return Loaded(_status(entry, "loaded", hooks=hook_names(manager), error=slow), manager)


@contextmanager
def _without_terminal() -> Iterator[None]:
    """Keep a plugin that is imported from reading keys and from printing among our output."""
    keyboard = sys.stdin
    with redirect_stdout(sys.stderr):
        sys.stdin = io.StringIO()
        try:
            yield
        finally:
            sys.stdin = keyboard


def register(plugin: object, name: str) -> pluggy.PluginManager:
    """Return a manager with this plugin; raise if its hooks do not fit."""
    # pluggy ignores a hook with a misspelt name, which would then never be called.
    marked = _marked(plugin)
    if not marked:
        raise LookupError("no function of it is marked with @hookimpl")
    if unknown := sorted(set(marked) - set(vars(hookspecs))):
        raise LookupError(f"no such hook: {', '.join(unknown)}")
    for hook, function in marked.items():
        _check_arguments(hook, function)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name)
    return manager


def _marked(plugin: object) -> dict[str, Any]:
    """Return what is marked as hook implementations, by the names of the hooks."""
    hooks = {}
    for name in dir(plugin):
        function = getattr(plugin, name, None)
        options = getattr(function, f"{hookspecs.PROJECT}_impl", None)
        if isinstance(options, dict):
            hooks[options.get("specname") or name] = function
    return hooks


def _check_arguments(hook: str, function: Any) -> None:
    """Raise for a hook that asks for what it never gets."""
    offered = inspect.signature(getattr(hookspecs, hook)).parameters
    asked = inspect.signature(function).parameters.values()
    required = [
        each.name
        for each in asked
        if each.kind is each.POSITIONAL_OR_KEYWORD and each.default is each.empty
    ]
    unknown = [name for name in required if name not in offered]
    if unknown:
        may = ", ".join(offered) or "none"
        raise LookupError(f"{hook} gets no argument {', '.join(unknown)} (its arguments: {may})")


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
