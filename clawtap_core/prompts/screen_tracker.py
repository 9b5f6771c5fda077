"""What one session's screens tell, as a pure machine: which prompt stands there, and for how long.

One appearance of a question is one prompt: a redraw, a resize or a scroll is the same one. A
screen that is neither idle nor busy, fits no detector and stands still is a prompt too, one that
nobody knows (rule 7 of the design).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_core.model import (
    Kind,
    Previous,
    PromptForm,
    Screen,
    SeenState,
    SessionState,
)
from clawtap_core.prompts.identity import same_prompt, shows_other_text, squeeze

UNKNOWN_TITLE = "The CLI needs you in the terminal"
UNKNOWN_AFTER = 2.0
GONE_AFTER = 0.4
STABLE_FOR = 0.5
PARTIAL_FRAME = 0.25
"""For no longer than this does a pane show half of what it paints."""
LEFT_AFTER = PARTIAL_FRAME
"""For so long a prompt must have been away: a frame that is half painted may show none."""
ENDING = 30
RESIZE_GRACE = 2.0
"""For so long after a resize a prompt may be drawn anew, above the remains of its old frame."""
BUSY_AGAIN = 2.0
"""A busy CLI whose text stands still for so long may have become idle without a sign."""
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_CALM = (SessionState.IDLE, SessionState.BUSY, SessionState.STARTING, SessionState.ENDED)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a screen means: the prompt that stands there, if any; whether it is a new one.

    `recheck` is the time in seconds after which the same screen should be looked at again.
    """

    screen: Screen
    seen: SeenState
    form: PromptForm | None = None
    new: bool = False
    recheck: float | None = None


@dataclass(frozen=True, slots=True)
class PromptSighting:
    """A prompt as it was read last, and on which screen."""

    form: PromptForm
    screen: Screen

    def same(self, form: PromptForm, screen: Screen) -> bool:
        """Return True if this is the same prompt, in a pane of the same size or another."""
        resized = (self.screen.cols, self.screen.rows) != (screen.cols, screen.rows)
        return same_prompt(self.form, form) and (resized or not shows_other_text(self.form, form))

    def answered(self, form: PromptForm, screen: Screen, said: str = "") -> bool:
        """Whether what reads the same now came after this one was answered, in these words."""
        return answered_above(self.form, self.screen, form, screen, said)


@dataclass(frozen=True, slots=True)
class _Stood:
    """A text that stood still from `since` until it was painted over at `left`."""

    text: str
    since: float
    left: float

    def back(self, text: str, now: float) -> float:
        """Since when a text stands: a frame caught while it was painted anew does not count."""
        return self.since if text == self.text and now - self.left < PARTIAL_FRAME else now


class ScreenTracker:
    """The memory of one session's screens. Times are seconds of one monotonic clock."""

    def __init__(self, now: float, form: PromptForm | None = None) -> None:
        self._form = form
        self._before: Screen | None = None
        self._size = (0, 0)
        self._resized_at = now - RESIZE_GRACE
        self._text = ""
        self._still_since = now
        self._stood = _Stood("", now, now)
        self._state_since = now
        self._unclear_since: float | None = None
        self._away_since: float | None = None
        self.seen = SeenState(SessionState.STARTING)

    def previous(self, screen: Screen, now: float) -> Previous:
        """What `detect_state` is told of the time before this screen."""
        text = still_text(screen)
        if text != self._text:
            if now - self._still_since >= PARTIAL_FRAME:
                self._stood = _Stood(self._text, self._still_since, now)
            self._text, self._still_since = text, self._stood.back(text, now)
        return Previous(self.seen, now - self._still_since)

    def see(
        self, screen: Screen, form: PromptForm | None, seen: SeenState | None, now: float
    ) -> Observation:
        """Take in a screen and what the adapter read on it (`previous` was called with it)."""
        if self._size != (screen.cols, screen.rows):
            self._resized_at = now if any(self._size) else self._resized_at
            self._size = (screen.cols, screen.rows)
        recheck, read = None, form
        if left := self._redrawn(form, now):
            form, recheck = self._form, left
        elif form is None and (unclear(seen) or (self._form and blank(screen))):
            form, recheck = self._half_painted(screen, now)
        else:
            self._unclear_since = None
            form, recheck = self._left(form, now)
        state = self._state(form, seen)
        still = now - self._still_since
        if state.state is SessionState.BUSY and recheck is None and still < BUSY_AGAIN:
            recheck = BUSY_AGAIN - still
        if (state.state, state.draft) != (self.seen.state, self.seen.draft):
            self._state_since = now
        new = form is not None and form is not self._form and self._is_new(screen, form, now)
        if form is read:
            self._before = screen
        self._form, self.seen = form, state
        return Observation(screen, state, form, new, recheck)

    def _redrawn(self, form: PromptForm | None, now: float) -> float | None:
        """For how many seconds another prompt, or none, may be the old one that is drawn anew.

        After a resize a CLI draws all again: on a busy machine that is seen in pieces.
        """
        if self._form is None or (form and same_prompt(self._form, form)):
            return None
        left = self._resized_at + RESIZE_GRACE - now
        return left if left > 0 else None

    def _left(self, form: PromptForm | None, now: float) -> tuple[PromptForm | None, float | None]:
        """A prompt that is not to be seen has left when it stays away for a moment."""
        if form is not None or self._form is None or self._form.kind is Kind.UNKNOWN:
            self._away_since = None
            return form, None
        if self._away_since is None:
            self._away_since = now
        wait = self._away_since + LEFT_AFTER - now
        return (self._form, wait) if wait > 0 else (None, None)

    def _half_painted(self, screen: Screen, now: float) -> tuple[PromptForm | None, float | None]:
        """What an unclear screen stands for, and when to look again.

        A prompt that was there stays for a moment: a redraw is not a new prompt. After that,
        what stands still is a prompt nobody knows.
        """
        if self._unclear_since is None:
            self._unclear_since = now
        if self._form and self._form.kind is Kind.UNKNOWN:
            return self._still_unknown(self._form, screen, now)
        left = self._unclear_since + GONE_AFTER - now
        if self._form and left > 0:
            return self._form, left
        if blank(screen):
            return None, None
        still = now - max(self._still_since, self._unclear_since)
        return (unknown(screen), None) if still >= UNKNOWN_AFTER else (None, UNKNOWN_AFTER - still)

    def _still_unknown(
        self, form: PromptForm, screen: Screen, now: float
    ) -> tuple[PromptForm, float | None]:
        """The unknown prompt with its screen, which is taken anew when that stands still.

        Each update is written and told: not for every frame of what moves on it.
        """
        if letters(form.screen or "") == still_text(screen):
            return form, None
        left = self._still_since + STABLE_FOR - now
        return (unknown(screen), None) if left <= 0 else (form, left)

    def forget(self) -> None:
        """The prompt that stands there was ended; what is seen next is a new one."""
        self._form = None

    def sent(self, now: float) -> None:
        """A message went to the CLI: it is at work, whatever the first screen after it shows."""
        self.seen = replace(self.seen, state=SessionState.BUSY, draft="")
        self._state_since = now

    def away(self) -> None:
        """The CLI is not in front: what the screen shows is not its own."""
        self._unclear_since = None

    @property
    def sighting(self) -> PromptSighting | None:
        """The prompt that stands there, as it was read last."""
        if self._form is None or self._before is None:
            return None
        return PromptSighting(self._form, self._before)

    def idle_for(self, now: float) -> float:
        """For how many seconds the session has been idle, with the same draft in the composer."""
        return now - self._state_since if self.seen.state is SessionState.IDLE else 0.0

    def _state(self, form: PromptForm | None, seen: SeenState | None) -> SeenState:
        if form is not None:
            return replace(seen or self.seen, state=SessionState.WAITING, streaming="", thinking="")
        return seen or self.seen

    def _is_new(self, screen: Screen, form: PromptForm, now: float) -> bool:
        if self._form is None:
            return True
        if not same_prompt(self._form, form):
            return True
        if self.sighting and not self.sighting.same(form, screen):
            return True
        if now - self._resized_at < RESIZE_GRACE:
            return False
        return self.sighting is not None and self.sighting.answered(form, screen)


def still_text(screen: Screen) -> str:
    """The letters of a screen: what is left when spinners, clocks and frames are taken away."""
    return letters(screen.text)


def letters(text: str) -> str:
    """The letters of a text."""
    return _NOT_LETTERS.sub("", text)


def blank(screen: Screen) -> bool:
    """Whether a screen shows nothing: one that is about to be painted."""
    return not screen.text.strip()


def unknown(screen: Screen) -> PromptForm:
    """The prompt that nobody knows, with its screen."""
    return PromptForm(Kind.UNKNOWN, UNKNOWN_TITLE, screen=screen.text)


def answered_above(
    before: PromptForm, old: Screen, after: PromptForm, new: Screen, said: str = ""
) -> bool:
    """Whether `after`, though it reads the same, came after `before` was answered.

    A CLI that goes on leaves the answered call in its history: its words, or those that were
    `said` to it, then stand above the new prompt once more than they stood above the old one, or
    in what was added there.
    """
    if before.top is None or after.top is None or (old.cols, old.rows) != (new.cols, new.rows):
        return False
    told = _told_later(before, said)
    if _painted_over(old.lines[: before.top], new.lines[: after.top], told):
        return False
    above, now = _above(old, before.top), _above(new, after.top)
    added = _added(above, now)
    return any(now.count(words) > above.count(words) or words in added for words in told)


def _painted_over(old: Sequence[str], new: Sequence[str], told: Sequence[str]) -> bool:
    """Whether a call's line was written anew in its place: that of the call that asks, painted
    after its prompt. What an answered call leaves behind takes rows of its own."""
    changed = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    if len(old) != len(new) or len(changed) > 2 or not all(map(all, changed)):
        return False
    return any(words in squeeze(now) for _, now in changed for words in told)


def _told_later(form: PromptForm, said: str) -> list[str]:
    """What a CLI's history tells of a call: what the tool was given, its text, the title, or
    what was said to it."""
    given = (value for value in (form.tool_input or {}).values() if isinstance(value, str))
    told = (next(given, form.description) or form.title, form.title, said)
    short = [squeeze(words.split("\n")[0])[:60] for words in told]
    return [words for words in dict.fromkeys(short) if words]


def _added(above: str, now: str) -> str:
    """What follows in `now` on the end of `above`; nothing where that end is not found."""
    end = above[-ENDING:]
    return now.rpartition(end)[2] if len(end) == ENDING and end in now else ""


def _above(screen: Screen, top: int) -> str:
    return squeeze("".join(screen.lines[:top]))


def unclear(seen: SeenState | None) -> bool:
    """Whether the state explains nothing: half a screen, or one that nobody knows."""
    return seen is None or seen.state not in _CALM
