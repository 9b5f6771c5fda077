"""Track which prompt one session's screens show, and for how long: a pure machine.

One appearance of a question is one prompt, through redraws, resizes and scrolling. A screen that
is neither idle nor busy, fits no detector and stands still is an unknown prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clawtap_core.model import Kind, Previous, PromptForm, Screen, SeenState, SessionState
from clawtap_core.prompts.identity import same_prompt, shows_other_text, squeeze
from clawtap_core.prompts.screen_timings import SCREEN_TIMINGS, ScreenTimings

ENDING = 30
_SCROLL_BARS = re.compile("[│┃║█▐▕]")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_CALM = (SessionState.IDLE, SessionState.BUSY, SessionState.STARTING, SessionState.ENDED)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a screen means: its state, its prompt if any, and whether the prompt is new.

    `whole` is False while a half painted frame stands for the prompt. The same screen should be
    looked at again after `recheck` seconds.
    """

    screen: Screen
    seen: SeenState
    form: PromptForm | None = None
    new: bool = False
    recheck: float | None = None
    whole: bool = True


@dataclass(frozen=True, slots=True)
class PromptSighting:
    """A prompt as it was last read, with its screen.

    `settled` is False soon after a resize: what is above the prompt may not be painted yet.
    """

    form: PromptForm
    screen: Screen
    settled: bool = True

    def same(self, form: PromptForm, screen: Screen) -> bool:
        """Return True if this is the same prompt, in a pane of any size."""
        resized = self.screen.size != screen.size
        return same_prompt(self.form, form) and (resized or not shows_other_text(self.form, form))

    def answered(self, form: PromptForm, screen: Screen, reply: str = "") -> bool:
        """Return True if this prompt was answered before `form`, which reads the same, came."""
        return answered_above(self.form, self.screen, form, screen, reply)


@dataclass(frozen=True, slots=True)
class _StillText:
    """A text that stood still from `since` until it was painted over at `left`."""

    text: str
    since: float
    left: float

    def back(self, text: str, now: float, partial_frame: float) -> float:
        """Return since when a text stands, ignoring a frame caught during a repaint."""
        return self.since if text == self.text and now - self.left < partial_frame else now


class ScreenTracker:
    """Remember the screens of one session of `cli`. Times are seconds of one monotonic clock."""

    def __init__(
        self,
        now: float,
        form: PromptForm | None = None,
        timings: ScreenTimings = SCREEN_TIMINGS,
        cli: str = "The CLI",
    ) -> None:
        self._timings = timings
        self._cli = cli
        self._form = form
        self._before: Screen | None = None
        self._before_settled, self._missed_screens = True, False
        self._size = (0, 0)
        self._resized_at = now - self._timings.resize_grace
        self._before_resize: PromptForm | None = None
        self._text = ""
        self._still_since = now
        self._last_still = _StillText("", now, now)
        self._state_since = now
        self._unclear_since: float | None = None
        self._away_since: float | None = None
        self.seen = SeenState(SessionState.STARTING)

    def previous(self, screen: Screen, now: float) -> Previous:
        """Return what `detect_state` learns of the time before this screen."""
        text = still_text(screen)
        if text != self._text:
            if now - self._still_since >= self._timings.partial_frame:
                self._last_still = _StillText(self._text, self._still_since, now)
            since = self._last_still.back(text, now, self._timings.partial_frame)
            self._text, self._still_since = text, since
        return Previous(self.seen, now - self._still_since)

    def see(
        self,
        screen: Screen,
        form: PromptForm | None,
        seen: SeenState | None,
        now: float,
        *,
        at_work: Callable[[], bool] = lambda: False,
    ) -> Observation:
        """Take in a screen and what the adapter read on it; call `previous` with it first.

        `at_work` returns whether the CLI runs or waits for a core: its screen may be late.
        """
        if self._size != (screen.cols, screen.rows):
            if not self._resize_settles_in(now):
                self._before_resize = self._form
            self._resized_at = now if any(self._size) else self._resized_at
            self._size = (screen.cols, screen.rows)
        recheck, read = None, form
        if left := self._redrawn(form, now):
            form, recheck = self._form, left
        elif form is None and seen and seen.holds_back and self._is_recognised():
            form = self._form
        elif form is None and (unclear(seen) or (self._form and blank(screen))):
            form, recheck = self._half_painted(screen, now, at_work)
        else:
            self._unclear_since = None
            form, recheck = self._prompt_leaving(form, now)
        state = seen or self.seen
        if form is not None:
            state = replace(state, state=SessionState.WAITING, streaming="", thinking="")
        timings, still = self._timings, now - self._still_since
        watched_for = {
            SessionState.BUSY: timings.busy_within,
            SessionState.STARTING: timings.starts_within,
        }
        if recheck is None and still < watched_for.get(state.state, 0.0):
            recheck = timings.busy_again
        if (state.state, state.draft) != (self.seen.state, self.seen.draft):
            self._state_since = now
        new = form is not None and form is not self._form and self._is_new(screen, form, now)
        if form is read:
            self._before, self._before_settled = screen, not self._resize_settles_in(now)
            self._missed_screens = False
        self._form, self.seen = form, state
        self._before_resize = self._before_resize if form else None
        return Observation(screen, state, form, new, recheck, whole=form is read)

    def _is_recognised(self) -> bool:
        return self._form is not None and self._form.kind is not Kind.UNKNOWN

    def _redrawn(self, form: PromptForm | None, now: float) -> float:
        # For how many seconds another screen may still be a redraw of the old prompt.
        if self._form is None or (form and same_prompt(self._form, form)):
            return 0.0
        if form and self._was_before_resize(form, now):
            return 0.0
        return self._resize_settles_in(now)

    def _resize_settles_in(self, now: float) -> float:
        # After a resize a CLI redraws everything, on a busy machine in visible pieces.
        return max(self._resized_at + self._timings.resize_grace - now, 0.0)

    def _was_before_resize(self, form: PromptForm, now: float) -> bool:
        # Of a long prompt the first frame may show the end, and the next one the beginning.
        before = self._before_resize if self._resize_settles_in(now) else None
        return before is not None and same_prompt(before, form)

    def _prompt_leaving(
        self, form: PromptForm | None, now: float
    ) -> tuple[PromptForm | None, float | None]:
        if form is not None or self._form is None or self._form.kind is Kind.UNKNOWN:
            self._away_since = None
            return form, None
        if self._away_since is None:
            self._away_since = now
        wait = self._away_since + self._timings.prompt_leaves - now
        return (self._form, wait) if wait > 0 else (None, None)

    def _half_painted(
        self, screen: Screen, now: float, at_work: Callable[[], bool]
    ) -> tuple[PromptForm | None, float | None]:
        """Return what an unclear screen stands for, and when to look again."""
        if self._unclear_since is None:
            self._unclear_since = now
        if self._form and self._form.kind is Kind.UNKNOWN:
            return self._still_unknown(self._form, screen, now)
        # A redraw is not a new prompt: the old one stays for a moment after the last piece.
        last_piece = max(self._unclear_since, self._still_since)
        painted = min(last_piece, self._unclear_since + self._timings.painting)
        left = painted + self._timings.unclear_leaves - now
        if self._form and left > 0:
            return self._form, left
        if self._form and now - self._unclear_since < self._timings.rest_comes and at_work():
            return self._form, self._timings.unclear_leaves
        if blank(screen):
            return None, None
        still = now - max(self._still_since, self._unclear_since)
        left = self._timings.unknown_appears - still
        return (unknown(screen, self._cli), None) if left <= 0 else (None, left)

    def _still_unknown(
        self, form: PromptForm, screen: Screen, now: float
    ) -> tuple[PromptForm, float | None]:
        if letters(form.screen or "") == still_text(screen):
            return form, None
        # Each update is stored and published, so not for every frame of an animation.
        left = self._still_since + self._timings.unknown_changes - now
        return (unknown(screen, self._cli), None) if left <= 0 else (form, left)

    def forget(self) -> None:
        """Drop the current prompt, so that the next one seen is new."""
        self._form = None

    def sent(self, now: float) -> None:
        """Assume that the CLI is busy with a message, whatever the first screen after it shows."""
        self.seen = replace(self.seen, state=SessionState.BUSY, draft="")
        self._state_since = now

    def missed_screens(self) -> None:
        """Record that no screens were seen for a while; a CLI may have painted more of them."""
        self._missed_screens = True

    def away(self) -> None:
        """Ignore screens while the CLI is not in the foreground."""
        self._unclear_since = None
        # Once it is back it paints its prompt again, and may leave the old one above.
        self._before = None

    @property
    def sighting(self) -> PromptSighting | None:
        """The current prompt, as it was last read."""
        if self._form is None or self._before is None:
            return None
        return PromptSighting(self._form, self._before, self._before_settled)

    def idle_for(self, now: float) -> float:
        """Return for how many seconds the session has been idle with the same draft."""
        return now - self._state_since if self.seen.state is SessionState.IDLE else 0.0

    def _is_new(self, screen: Screen, form: PromptForm, now: float) -> bool:
        if self._form is None:
            return True
        same = self.sighting.same(form, screen) if self.sighting else same_prompt(self._form, form)
        if not same:
            return not self._was_before_resize(form, now)
        if self._resize_settles_in(now) or (self._missed_screens and not self._before_settled):
            return False
        return self.sighting is not None and self.sighting.answered(form, screen)


def still_text(screen: Screen) -> str:
    """Return the letters of a screen, without spinners, clocks and frames."""
    return letters(screen.text)


def letters(text: str) -> str:
    """Return the letters of a text."""
    return _NOT_LETTERS.sub("", text)


def blank(screen: Screen) -> bool:
    """Return True if a screen is empty, about to be painted."""
    return not screen.text.strip()


def unknown(screen: Screen, cli: str) -> PromptForm:
    """Return an unknown prompt of this CLI, with its screen."""
    return PromptForm(Kind.UNKNOWN, f"{cli} needs you in the terminal", screen=screen.text)


def answered_above(
    before: PromptForm, old: Screen, after: PromptForm, new: Screen, reply: str = ""
) -> bool:
    """Return True if `after`, which reads the same, came after `before` was answered.

    A CLI that continues leaves the answered call in its history: its words, or the `reply`, then
    are above the new prompt once more than above the old one, or in what was added there.
    """
    if None in (before.top, after.top) or old.size != new.size:
        return False
    traces = _history_traces(before, reply)
    if _painted_over(old.lines[: before.top], new.lines[: after.top], traces):
        return False
    above = squeeze("".join(old.lines[: before.top]))
    current = squeeze("".join(new.lines[: after.top]))
    # A CLI removes the list of an answered prompt. One that repaints everything, as after Ctrl+Z,
    # leaves the old list above.
    if (standing := _list(before, old)) and standing in current:
        return False
    if _revealed(above, current):
        return False
    end = above[-ENDING:]
    added = current.rpartition(end)[2] if len(end) == ENDING and end in current else ""
    return any(current.count(words) > above.count(words) or words in added for words in traces)


def _revealed(above: str, current: str) -> bool:
    """Return True if older rows came into sight at the top, and nothing was added below them.

    A CLI that scrolls by itself may show its prompt first in fewer rows than it then takes.
    """
    above, current = _SCROLL_BARS.sub("", above), _SCROLL_BARS.sub("", current)
    moved = not current.startswith(above[:ENDING])
    return len(above) >= ENDING and moved and current.endswith(above)


def _list(form: PromptForm, screen: Screen) -> str:
    """Return the rows from the first option to the last; "" without a list that has a cursor."""
    asked = (option.label for question in form.questions for option in question.options)
    labels = [squeeze(label) for label in (*(option.label for option in form.options), *asked)]
    if form.selected is None or len(labels) < 2:
        return ""
    rows = squeeze("".join(screen.lines[form.top :]))
    begin = len(rows)
    for label in reversed(labels):
        if (begin := rows.rfind(label, 0, begin)) < 0:
            return ""
    return rows[begin : rows.rfind(labels[-1]) + len(labels[-1])]


def _painted_over(old: Sequence[str], new: Sequence[str], traces: Sequence[str]) -> bool:
    """Return True if the line of the asking call was painted in place, after its prompt.

    An answered call leaves rows of its own behind.
    """
    changed = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    if len(old) != len(new) or len(changed) > 2 or not all(map(all, changed)):
        return False
    return any(words in squeeze(row) for _, row in changed for words in traces)


def _history_traces(form: PromptForm, reply: str) -> list[str]:
    """Return how a CLI's history may show a call: its input, text, title or the reply."""
    inputs = (value for value in (form.tool_input or {}).values() if isinstance(value, str))
    texts = form.answer_traces
    if texts is None:
        texts = (next(inputs, form.description) or form.title, form.title)
    short = [squeeze(words.split("\n")[0])[:60] for words in (*texts, reply)]
    return [words for words in dict.fromkeys(short) if words]


def unclear(seen: SeenState | None) -> bool:
    """Return True if the state explains nothing: half a screen, or an unknown one."""
    return seen is None or seen.state not in _CALM
