"""An answer by the hook that waits for it: no key is typed.

The person at the desk may answer at the same moment, and the CLI then does not say whose answer
it took. What came of the call says it: a call that came to its end was allowed, and a session
that is idle without that was refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clawtap_core.model import ERROR, SUCCESS, Screen, SeenState, SessionState
from clawtap_core.runtime.delivery.executor import Delivered, Guard, confirmed, look_until
from clawtap_core.runtime.panes.tool_calls import Call
from clawtap_core.terminal.api import Pane

PROOF = 2.5
"""For how long it is looked whether the desk was first, in seconds: a call may run for longer."""
REST = 0.3
"""A session that is idle for so long has taken a refusal."""


@dataclass
class HookDelivery:
    """One answer on its way through a hook. `before` writes it to the journal.

    `allows`: the answer lets the call run; `state` reads a screen. `unheard`: the hook no longer
    waited, and nothing was decided. `crossed`: the desk was first.
    """

    pane: Pane
    guard: Guard
    call: Call
    answer: Any
    before: Callable[[], None]
    state: Callable[[Screen], SeenState | None]
    fate: Callable[[], Delivered | None]
    allows: bool
    confirm: float = 10.0
    decided: bool = False
    unheard: bool = False
    crossed: bool = False

    def run(self) -> Delivered:
        """Let the hook return the answer; what came of it."""
        if not self._stands():
            return Delivered.CHANGED
        self.before()
        self.decided = self.call.held is not None and self.call.held.give(self.answer)
        if not self.decided:
            self.unheard = True
            return Delivered.CHANGED
        outcome = confirmed(
            self.pane, self.guard, self.fate, self.confirm, lambda: self.call.concluded
        )
        if outcome is Delivered.DONE and not self._ours():
            self.decided, self.crossed = False, True
            return Delivered.CHANGED
        return outcome

    def _stands(self) -> bool:
        """Whether the prompt stands there; a screen caught half painted gets a moment."""

        def fits(screen: Screen) -> bool:
            return self.guard.allows(screen) and self.pane.runs_cli()

        return look_until(self.pane, fits, self.fate) is not None

    def _ours(self) -> bool:
        """Whether the CLI took this answer, and not one of the desk's."""
        if self.call.held and self.call.held.sure:
            return True
        until = time.monotonic() + PROOF
        idle_since: float | None = None
        while (now := time.monotonic()) < until and not self.fate():
            if self.call.concluded:
                return self._fits()
            idle_since = (idle_since or now) if self._idle() else None
            if idle_since and now - idle_since >= REST:
                return self._written()
            time.sleep(0.03)
        return True

    def _written(self) -> bool:
        """What the transcript says of a call of which no hook told its end."""
        until = time.monotonic() + PROOF
        while self.allows and not self.call.fate and time.monotonic() < until:
            time.sleep(0.03)
        return self._fits()

    def _fits(self) -> bool:
        """Whether what came of the call is what was answered: one that failed was run, or not."""
        ran = self.call.finished or self.call.fate == SUCCESS
        return ran or self.call.fate == ERROR if self.allows else not ran

    def _idle(self) -> bool:
        seen = self.state(self.pane.look())
        return seen is not None and seen.state is SessionState.IDLE
