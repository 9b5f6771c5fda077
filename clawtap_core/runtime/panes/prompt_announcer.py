"""Announcing what screens ask: a prompt is held back until it is complete, and opened once."""

from __future__ import annotations

import operator
from collections.abc import Callable

from clawtap_core.model import Kind, PromptForm, SessionState
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.screen_timings import SCREEN_TIMINGS
from clawtap_core.prompts.screen_tracker import Observation
from clawtap_core.prompts.settling import PromptSettling
from clawtap_core.runtime.panes.current_prompt import CurrentPrompt
from clawtap_core.runtime.panes.tool_calls import ToolCalls
from clawtap_core.terminal.api import DeskKeys


class PromptAnnouncer:
    """Open, update and end one session's prompt as its screens change.

    `dismiss` is called with a start-up dialog, and returns whether it deals with it; then nobody
    is asked. `outlived` are the seconds after which a prompt whose call has ended is that of an
    equal call. `_last` is the one that was announced last, as the screen showed it. `_whole_in` is
    the size of the pane that last showed the prompt's text whole, and `_read_in` the one in which
    it was last read.
    """

    def __init__(
        self,
        current: CurrentPrompt,
        calls: ToolCalls,
        settling: PromptSettling,
        dismiss: Callable[[PromptForm], bool],
        outlived: float = SCREEN_TIMINGS.call_outlived,
    ) -> None:
        self._current, self._calls, self._settling = current, calls, settling
        self._dismiss = dismiss
        self._outlived = outlived
        self._ended_at: float | None = None
        self._last: PromptForm | None = None
        self._whole_in: tuple[int, int] | None = None
        self._read_in: tuple[int, int] = (0, 0)

    def update(self, sight: Observation, desk_keys: DeskKeys, now: float) -> float | None:
        """Take in a screen; return in how many seconds to read it again, or None.

        `desk_keys` are the keys that others have typed by now.
        """
        seen = sight.form
        new = sight.new and not (seen and self._current.prompt and self._calls.continues(seen))
        left = self._call_outlived_in(now) if seen and not new else None
        new = new or left == 0
        if seen is None or new:
            self._ended_at = None
            if self._outgrew(sight):
                self._current.cancelled("the pane became too small to show it")
            else:
                self._current.left(desk_keys, seen, explained=self._is_explained(sight))
            self._settling.clear()
        if seen is None:
            self._calls.left()
            return None
        if new:
            self._whole_in = None
        if sight.whole:
            self._read_in = sight.screen.size
            if not seen.truncated:
                self._whole_in = sight.screen.size
        form = self._calls.shown(seen, new=new)
        if new:
            again = sight.new and self._last is not None and same_prompt(self._last, seen)
            self._settling.begin(now, again=again)
        if not self._settling.pending:
            self._current.same(form, resized=sight.screen.size != self._whole_in)
            return left or None
        if (unsettled := self._settling.remaining(seen, form, now, whole=sight.whole)) > 0:
            return unsettled
        self._settling.clear()
        if not (form.dialog and self._dismiss(form)):
            self._last = seen
            self._current.appeared(form, desk_keys)
        return None

    def _is_explained(self, sight: Observation) -> bool:
        """Return True if the screen shows that the CLI continued, or its call has ended.

        An editor that closed may leave only part of a prompt that still waits.
        """
        shown = sight.form.kind if sight.form else sight.seen.state
        asked = self._current.prompt.form.kind if self._current.prompt else None
        # Between two plans the agent works: one that follows at once is the same, painted again.
        repainted = shown is asked is Kind.PLAN
        unread = shown in (SessionState.WAITING, Kind.UNKNOWN)
        return self._calls.outlived or not (unread or repainted)

    def _outgrew(self, sight: Observation) -> bool:
        """Return True if the prompt may still stand in a pane that is too small for it now.

        The screen then shows neither a prompt nor that the CLI does anything else.
        """
        waits = sight.form is None and sight.seen.state is SessionState.WAITING
        return waits and any(map(operator.lt, sight.screen.size, self._read_in))

    def _call_outlived_in(self, now: float) -> float | None:
        """Return in how many seconds the prompt is that of an equal call; None before its own ends.

        A CLI may replace an answered prompt by one that looks the same, at once.
        """
        if self._current.prompt is None or not self._calls.outlived:
            self._ended_at = None
            return None
        if self._ended_at is None:
            self._ended_at = now
        return max(self._ended_at + self._outlived - now, 0.0)

    def forget(self) -> None:
        """Forget the prompt, which its answer ended."""
        self._ended_at = None
        self._current.forget()
        self._settling.clear()
        self._calls.left()
