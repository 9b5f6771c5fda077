"""Answer through the hook that waits for it, without a key.

The person at the desk may answer at the same moment, and the CLI does not say whose answer it took.
The end of the call shows it: a call that ran was allowed, and a session that becomes idle without
having run it was refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clawtap_core.model import ERROR, SUCCESS, Screen, SessionState
from clawtap_core.runtime.delivery.api import Delivered, Guard
from clawtap_core.runtime.delivery.executor import confirmed, look_until
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.panes.tool_calls import Call

_MOMENT = 0.03


@dataclass
class HookDelivery:
    """One answer on its way through a hook. `journal` writes it down before it is given.

    `allows`: the answer lets the call run. `unheard`: the hook had stopped waiting, and nothing was
    decided. `crossed`: the desk was first. `reason_given`: the reason of a refusal went with it.
    """

    session: PaneSession
    guard: Guard
    call: Call
    answer: Any
    journal: Callable[[], None]
    allows: bool
    decided: bool = False
    journalled: bool = False
    unheard: bool = False
    crossed: bool = False
    reason_given: bool = False
    reason_left: bool = False

    def run(self) -> Delivered:
        """Let the hook return the answer, and return the outcome."""
        session, call, held = self.session, self.call, self.call.held

        def stands(screen: Screen) -> bool:
            return self.guard.allows(screen) and session.pane.runs_cli()

        if not look_until(
            session.pane, stands, session.timings.repaint, lambda: session.exit_outcome
        ):
            return Delivered.CHANGED
        self.journal()
        self.journalled = True
        self.decided = held is not None and held.give(self.answer)
        if held is None or not self.decided:
            self.unheard = True
            return Delivered.CHANGED
        self.reason_given = held.takes_reason and not self.allows
        outcome = confirmed(
            session.pane,
            self.guard,
            lambda: session.exit_outcome,
            session.timings.answer_leaves,
            # A prompt that is on the screen by then is the next one, with the same text.
            lambda: call.concluded or (held.confirmed and session.calls.has_twin(call)),
            late=session.timings.screen_late,
        )
        if outcome is Delivered.DONE and not (
            held.sure or took_this_answer(session, lambda: call, allows=self.allows)
        ):
            self.decided, self.crossed = False, True
            return Delivered.CHANGED
        return outcome


def took_this_answer(
    session: PaneSession, find_call: Callable[[], Call | None], *, allows: bool
) -> bool:
    """Wait for the end of a call, and return False if it is not what was answered.

    True if nothing shows it in time: a call may run for longer.
    """
    timings = session.timings
    until = time.monotonic() + timings.call_ends
    latest = time.monotonic() + timings.answer_leaves
    idle_since: float | None = None
    followed = False
    while not session.exit_outcome:
        now = time.monotonic()
        # On a busy machine the CLI may not have reacted by then.
        if now >= until and (now >= latest or not session.pane.cli_at_work()):
            break
        call = find_call()
        if call and call.concluded:
            return _ended_as_answered(call, allows=allows)
        screen = session.pane.look()
        # The next prompt is reported only after this wait.
        if not followed and session.adapter.detect_prompt(screen):
            followed, until = True, min(until, now + timings.call_followed)
        seen = session.adapter.detect_state(screen, None)
        idle = seen is not None and seen.state is SessionState.IDLE
        idle_since = (idle_since or now) if idle else None
        if idle_since and (idle_for := now - idle_since) >= timings.call_refused:
            # No hook reported its end; the transcript may still. A CLI may also start late.
            if not allows or idle_for >= timings.call_refused + timings.call_ends:
                return _ended_as_answered(call, allows=allows)
            until = now + timings.call_ends
        time.sleep(_MOMENT)
    return True


def _ended_as_answered(call: Call | None, *, allows: bool) -> bool:
    if call is None:
        return True
    ran = call.finished or call.status == SUCCESS
    # A failed call may have run or not.
    return ran or call.status == ERROR if allows else not ran
