"""The tool calls that hooks and transcripts report, and which of them a screen asks about.

The screen shows that a prompt is open and what it offers; the call holds its whole input. Both are
one prompt.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.host import Adapter
from clawtap_core.model import Kind, PromptForm
from clawtap_core.prompts.identity import may_lack_characters, squeeze
from clawtap_core.prompts.merging import complete_plan, reviews
from clawtap_core.runtime.panes.pending_hook import PendingHook

MOST = 50


@dataclass(eq=False)
class Call:
    """A reported call.

    `held`: a hook that waits for the answer to its prompt; `finished`: a hook reported its end;
    `status`: its status in the transcript.
    """

    form: PromptForm
    held: PendingHook | None = None
    finished: bool = False
    status: str | None = None

    @property
    def concluded(self) -> bool:
        """Whether its end was reported."""
        return self.finished or self.status is not None


class ToolCalls:
    """The calls of one session, oldest first; `current` is the one that is asked about now.

    `_page` is what the screen last showed of that one, `_said` what the agent said last.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._lock = threading.RLock()
        self._known: list[Call] = []
        self._seen: PromptForm | None = None
        self._merged: list[tuple[PromptForm, PromptForm | None]] = []
        self._page: PromptForm | None = None
        self._said = ""
        self._ended: deque[tuple[float, Call]] = deque(maxlen=MOST)
        self.current: Call | None = None
        self._settled = threading.Event()
        self._settled.set()

    @property
    def outlived(self) -> bool:
        """Whether the call that is asked about has ended."""
        call = self.current
        return call is not None and call.concluded

    def expect_request(self) -> None:
        """Let answers wait until a shared server has reported the prompt that just opened."""
        self._settled.clear()

    def settle(self) -> None:
        """Let waiting answers continue with what is known."""
        self._settled.set()

    def wait_until_settled(self, seconds: float) -> None:
        """Wait while a shared server is asked about the prompt."""
        self._settled.wait(seconds)

    def learn(self, form: PromptForm, held: PendingHook | None = None) -> Call:
        """Record a call; repeated reports of the same call are merged."""
        with self._lock:
            self._seen = None
            for call in self._known:
                # Two hooks that wait at once are two calls, however equal these are.
                if call.held and held:
                    continue
                if whole := self._adapter.merge_prompt(form, call.form):
                    call.form, call.held = whole, held or call.held
                    return call
            call = Call(form, held)
            self._known = [*self._known[1 - MOST :], call]
            return call

    def note_text(self, text: str) -> None:
        """Note what the agent said: a plan may be asked about of which the screen shows the end."""
        with self._lock:
            self._said = text

    def shown(self, seen: PromptForm, *, new: bool) -> PromptForm:
        """Return the prompt on the screen with what is known of its call."""
        with self._lock:
            if new and not self.continues(seen):
                self._replaced()
            matches = self._matches(seen)
            if not matches or _are_confusable(seen, [call for call, _ in matches]):
                if seen.kind is Kind.PERMISSION and may_lack_characters(seen.description):
                    # No call completes the text: what it lacks stays unknown.
                    return replace(seen, truncated=True, tool_input=None)
                return complete_plan(seen, self._said)
            # Equals come in the order of the list.
            self.current, whole = min(matches, key=lambda match: _doubt(seen, *match))
            self._page = seen
            # Another call, not reported yet, may begin with the same rows.
            cut = seen.truncated and not _waits(self.current)
            return replace(whole, rewrapped=True) if cut else whole

    def continues(self, seen: PromptForm) -> bool:
        """Return True if the screen shows more of the call that is asked about.

        It may be another question, the page that reviews the answers, or other rows of the text: a
        CLI paints a long one in parts.
        Rows that another known call has too prove nothing.
        """
        with self._lock:
            call = self.current
            if not call or call.concluded or not (whole := self._merge(seen, call.form)):
                return False
            if len(whole.questions) > 1 or reviews(seen, whole) or reviews(self._page, whole):
                return True
            others = [each for each in self._known if each is not call and not each.concluded]
            return _shows_part(seen, call.form) and not any(
                _shows_part(seen, each.form) for each in others
            )

    def ended_since(self, at: float, seen: PromptForm, asked: Call | None = None) -> Call | None:
        """Return the call of this prompt if it ended after a time, in seconds since 1970.

        `asked`: the call, where it was known; otherwise it is one that reads as the screen did.
        """
        with self._lock:
            for ended_at, call in self._ended:
                same = call is asked if asked else self._adapter.merge_prompt(seen, call.form)
                if ended_at >= at and same:
                    return call
        return None

    def _matches(self, seen: PromptForm) -> list[tuple[Call, PromptForm]]:
        """Return the calls that the screen may show, each with the prompt that it makes.

        One that runs without asking may be a part of the one that asks.
        """
        # Of equal calls the one whose hook waits is asked about.
        others = sorted(self._known, key=lambda call: call.held is None)
        calls = [call for call in others if call is not self.current and not call.finished]
        return [
            (call, whole)
            for call in (self.current, *calls)
            if call and (whole := self._merge(seen, call.form))
        ]

    def left(self) -> None:
        """Release the call whose prompt left the screen."""
        with self._lock:
            if call := self.current:
                self.current = None
                self._forget(call)

    def _replaced(self) -> None:
        # A call without an id may be the same, repainted.
        call = self.current
        if call and not call.held and not call.form.tool_call_id and not call.finished:
            self.current = None
        else:
            self.left()

    def finish(self, form: PromptForm) -> None:
        """Mark a call as ended, which means that it was allowed."""
        with self._lock:
            for call in self._known:
                if not call.finished and _is_same_call(call.form, form):
                    call.finished = True
                    self._ended.append((time.time(), call))
                    if call.held:
                        call.held.release()
                    if call is not self.current:
                        self._forget(call)
                    return

    def conclude(self, call_id: str, status: str) -> None:
        """Note what the transcript says about the end of a call."""
        with self._lock:
            for call in self._known:
                if call.form.tool_call_id == call_id:
                    call = self._asked_about(call)
                    call.status = status
                    self._ended.append((time.time(), call))
                    if call is not self.current:
                        self._forget(call)
                    return

    def _asked_about(self, call: Call) -> Call:
        """Return the current call in place of an equal one: no screen shows which of them it is."""
        current = self.current
        if current in (None, call) or current.concluded or not _are_equal(current.form, call.form):
            return call
        ids = current.form.tool_call_id, call.form.tool_call_id
        call.form = replace(call.form, tool_call_id=ids[0])
        current.form = replace(current.form, tool_call_id=ids[1])
        return current

    def clear(self) -> None:
        """Forget all calls but the one on the screen, when a turn ends or begins."""
        with self._lock:
            for call in list(self._known):
                if call is not self.current:
                    self._forget(call)

    def forget(self, call: Call) -> None:
        """Note that the hook of this call has returned; its details stay."""
        with self._lock:
            call.held = None

    def has_twin(self, call: Call) -> bool:
        """Return True if an equal call waits for its answer too."""
        with self._lock:
            return any(
                other is not call
                and other.held is not None
                and other.held.waits
                and _are_equal(other.form, call.form)
                for other in self._known
            )

    def withdraw(self, call: Call) -> None:
        """Drop a request that is over; the details of the one on the screen stay with it."""
        with self._lock:
            call.held = None
            if call is not self.current:
                self._forget(call)

    def close(self) -> None:
        """Release every hook that waits, when the session ends."""
        with self._lock:
            self.current = None
            for call in list(self._known):
                self._forget(call)

    def _forget(self, call: Call) -> None:
        if call in self._known:
            self._known.remove(call)
        if call.held:
            call.held.release()

    def _merge(self, seen: PromptForm, call: PromptForm) -> PromptForm | None:
        """Return both as one prompt, or None if they differ."""
        # Screens repeat, so the results for the last one are kept.
        if self._seen != seen:
            self._seen, self._merged = seen, []
        for known, whole in self._merged:
            if known is call:
                return whole
        self._merged.append((call, self._adapter.merge_prompt(seen, call)))
        return self._merged[-1][1]


def _are_confusable(seen: PromptForm, calls: Sequence[Call]) -> bool:
    """Return True if a screen shows too little to tell several calls apart: a cut text, or none.

    A hook that waits speaks for its own call, whatever the screen shows.
    """
    shows_all = not seen.truncated and (seen.description or seen.tool_input or seen.questions)
    if shows_all or any(map(_waits, calls)):
        return False
    return any(not _are_equal(calls[0].form, call.form) for call in calls if not call.concluded)


def _waits(call: Call) -> bool:
    return call.held is not None and call.held.waits


def _doubt(seen: PromptForm, call: Call, whole: PromptForm) -> tuple[bool, bool]:
    """Return how doubtful it is that a prompt is about a call, to compare it with others."""
    shown = {squeeze(str(value)) for value in _input(seen).values()}
    called = {squeeze(str(value)) for value in _input(call.form).values()}
    return not shown or not shown <= called, whole.rewrapped


def _shows_part(seen: PromptForm, call: PromptForm) -> bool:
    """Return True if every visible row of a cut text is in the input of a call."""
    rows = [squeeze(row) for row in seen.description.split("\n")]
    shown = [row for row in rows if row and row != "…"]
    given = "\n".join(str(value) for value in _input(call).values())
    whole, at = squeeze(given), 0
    for row in shown:
        if (found := whole.find(row, at)) < 0:
            return False
        at = found + len(row)
    return seen.truncated and bool(shown)


def _is_same_call(first: PromptForm, second: PromptForm) -> bool:
    """Return True if both are one call: by id, or without ids by tool and input."""
    if first.tool_call_id and second.tool_call_id:
        return first.tool_call_id == second.tool_call_id
    return _are_equal(first, second)


def _are_equal(first: PromptForm, second: PromptForm) -> bool:
    return first.tool_name == second.tool_name and _input(first) == _input(second)


def _input(form: PromptForm) -> Mapping[str, Any]:
    return form.tool_input or {}
