"""Guards that say what may be typed into, and when the delivery is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from clawtap_core.host import Adapter
from clawtap_core.model import Previous, PromptForm, Screen, SeenState, SessionState
from clawtap_core.prompts.identity import may_be_repainted, same_prompt
from clawtap_core.prompts.screen_tracker import (
    GONE_AFTER,
    PromptSighting,
    blank,
    unclear,
)
from clawtap_core.screens import drawn

REPAINT_WINDOW = 2.0
"""Seconds in which a cut prompt may be repainted with other rows after its answer."""
TAKEN_AFTER = 0.1
"""Seconds that an answered prompt or sent text must be away to count as gone."""


class _Absence:
    """The time for which something has been away, over the looks that did not find it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since: float | None = None

    def back(self) -> None:
        """Record that it is there."""
        self._since = None

    def lasts(self) -> float:
        """Record that it is away; return for how many seconds."""
        now = self._clock()
        if self._since is None:
            self._since = now
        return now - self._since


class PromptGuard:
    """An answer goes only to the prompt that was seen, and is over when that has left.

    `sighting`: the prompt as it was read last. What reads the same there now may have come
    after it; `answer_text` are the words of the answer, which then stand above it.
    """

    def __init__(
        self,
        adapter: Adapter,
        form: PromptForm,
        option: str | None = None,
        *,
        sighting: PromptSighting | None = None,
        answer_text: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._adapter = adapter
        self._form = form
        self._option = option
        self._away = _Absence(clock)
        self._standing = sighting
        self._answer_text = answer_text

    def allows(self, screen: Screen) -> bool:
        """The same prompt stands there, and still offers what was chosen."""
        form = self._adapter.detect_prompt(screen)
        if form is None or not same_prompt(self._form, form) or not self._offers(form):
            return False
        if self._standing and not self._standing.same(form, screen):
            return False
        if self._standing and self._standing.answered(form, screen):
            return False
        self._standing = PromptSighting(form, screen)
        return True

    def unmoved(self, asked: Screen, now: Screen) -> bool:
        """The cursor stands where it stood, and the same is offered."""
        before, after = self._adapter.detect_prompt(asked), self._adapter.detect_prompt(now)
        return _same(before, after)

    def over(self, screen: Screen) -> bool:
        """The prompt left: another stands there, or the CLI clearly goes on."""
        if form := self._adapter.detect_prompt(screen):
            return self._followed(form, screen)
        away, seen = self._away.lasts(), self._adapter.detect_state(screen, None)
        if blank(screen) or unclear(seen):
            return away >= GONE_AFTER
        return _composes_at_work(seen) or away >= TAKEN_AFTER

    def _followed(self, form: PromptForm, screen: Screen) -> bool:
        """Whether this came after ours; other rows of a cut one may be ours, painted anew."""
        if self._standing and self._standing.answered(form, screen, self._answer_text):
            return True
        if same_prompt(self._form, form):
            self._away.back()
            return False
        return not may_be_repainted(self._form, form) or self._away.lasts() >= REPAINT_WINDOW

    def _offers(self, form: PromptForm) -> bool:
        if self._option is None or form.more_options:
            return True
        return form.option(self._option) is not None


def _composes_at_work(seen: SeenState | None) -> bool:
    """Whether the composer is back in the prompt's place and the CLI works: no torn frame does."""
    return seen is not None and seen.state is SessionState.BUSY and seen.draft is not None


def _same(before: PromptForm | None, after: PromptForm | None) -> bool:
    """Whether the same is asked and offered, with the cursor on the same row."""
    if before is None or after is None:
        return False
    return replace(before, top=None) == replace(after, top=None)


class _StateGuard:
    """The base of the guards that go by the CLI's state: no prompt may be open."""

    def __init__(self, adapter: Adapter, previous: Previous | None = None) -> None:
        self._adapter = adapter
        self._previous = previous

    def _seen(self, screen: Screen) -> SeenState | None:
        if self._adapter.detect_prompt(screen):
            return None
        return self._adapter.detect_state(screen, self._previous)


class ComposerGuard(_StateGuard):
    """A message or a switch goes only into an idle composer that holds nothing of the desk's."""

    def __init__(
        self,
        adapter: Adapter,
        text: str = "",
        *,
        begun: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(adapter)
        self._text = drawn(text)
        self._begun = begun
        self._draft = _Absence(clock)

    def allows(self, screen: Screen) -> bool:
        """Idle; the composer is empty, or holds only what was typed here."""
        seen = self._seen(screen)
        if seen is None or seen.state is not SessionState.IDLE or seen.draft is None:
            return False
        draft = drawn(seen.draft)
        mine = self._begun and (not self._text or draft in self._text)
        if draft and not mine:
            return False
        self._begun = True
        return True

    def unmoved(self, asked: Screen, now: Screen) -> bool:
        """The composer holds what it held, or the list that a command opened stands as it stood."""
        listed, still = self._adapter.detect_prompt(asked), self._adapter.detect_prompt(now)
        if listed or still:
            return _same(listed, still)
        before, after = self._seen(asked), self._seen(now)
        return before is not None and after is not None and before.draft == after.draft

    def over(self, screen: Screen) -> bool:
        """The text left the composer, and the CLI took it: it works, or the text stays away."""
        if self._adapter.detect_prompt(screen):
            return True
        seen = self._adapter.detect_state(screen, None)
        if seen is None or seen.draft or unclear(seen):
            self._draft.back()
            return False
        away = self._draft.lasts()
        return seen.state is SessionState.BUSY or away >= TAKEN_AFTER


class BusyGuard(_StateGuard):
    """An interrupt goes only to a busy CLI, and is over when it is no longer busy.

    `previous`: what was seen before, since one screen does not always tell.
    """

    def allows(self, screen: Screen) -> bool:
        """Return True if the CLI is busy."""
        seen = self._seen(screen)
        return seen is not None and seen.state is SessionState.BUSY

    def unmoved(self, asked: Screen, now: Screen) -> bool:
        """Return True: a busy CLI may write anything."""
        return True

    def over(self, screen: Screen) -> bool:
        """Return True if the CLI is no longer busy."""
        return not self.allows(screen)
