"""Call a plugin's hooks safely: catch errors, end hangs, refuse wrong types."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import pluggy

from clawtap_core.host.failure import describe_failure
from clawtap_core.host.limits import HookRest, HookTimeout, TimeLimit
from clawtap_core.host.validation import ResultValidator
from clawtap_core.model import Screen

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass
class _HookState:
    """One hook in one session."""

    rest: HookRest = field(default_factory=HookRest)
    logged: str = ""
    failed_screen: Screen | None = None


@dataclass
class Health:
    """The last failure of an adapter, in any session."""

    text: str | None = None


@dataclass
class GuardedCalls:
    """The hooks of one adapter, as one session calls them.

    A failed hook is called again with the next input. So is one that hung; while it keeps hanging
    it is skipped for longer each time, since every attempt costs its whole time limit. What a hook
    read from a screen is read once: a delivery looks at the same screen several times.
    """

    plugin: str
    hooks: Mapping[str, pluggy.HookCaller]
    limit: TimeLimit
    seconds: float
    health: Health = field(default_factory=Health)
    session_id: str | None = None
    validator: ResultValidator = field(default_factory=ResultValidator)
    _states: dict[str, _HookState] = field(default_factory=dict)
    _read: dict[str, tuple[Mapping[str, Any], Any]] = field(default_factory=dict)

    def for_session(self, session_id: str) -> GuardedCalls:
        """Return the same hooks with separate failures."""
        return GuardedCalls(
            self.plugin, self.hooks, self.limit, self.seconds, self.health, session_id
        )

    def call(self, hook: str, result_type: type[T], seconds: float, **arguments: Any) -> T | None:
        """Return the hook's result, or None if it is missing or failed."""
        caller = self.hooks.get(hook)
        if caller is None:
            return None
        # Only hooks that depend on the screen alone read the same from it again, or fail again.
        screen = arguments.get("screen") if hook.startswith("detect_") else None
        before, read = self._read.get(hook, ({}, None))
        if screen is not None and all(before.get(name) is arguments[name] for name in arguments):
            return cast("T | None", read)
        state = self._states.setdefault(hook, _HookState())
        if screen is not None and screen == state.failed_screen:
            return None
        if state.rest.spared():
            return None
        try:
            result = self.limit(seconds, lambda: caller(**arguments))
            checked = self.validator.result(result, result_type)
        except Exception as error:
            state.failed_screen = screen
            if isinstance(error, HookTimeout):
                state.rest.hung()
            self.failed(hook, error)
            return None
        self._states.pop(hook, None)  # another thread may have been faster
        if screen is not None:
            self._read[hook] = arguments, checked
        return checked

    def failed(self, hook: str, error: Exception) -> None:
        """Record a failure in the adapter's health, and log it if it is new."""
        text = f"{hook}: {describe_failure(error)}"
        state = self._states.setdefault(hook, _HookState())
        self.health.text = text
        if state.logged != text:
            state.logged = text
            where = {"plugin": self.plugin, "hook": hook, "session": self.session_id}
            log.warning(
                "plugin %s: hook failed: %s", self.plugin, text, extra=where, exc_info=error
            )
