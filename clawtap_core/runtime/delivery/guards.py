"""Guards that say what may be typed into, and when the delivery is over."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from clawtap_core.host import Adapter
from clawtap_core.model import Previous, PromptForm, Question, Screen, SeenState, SessionState
from clawtap_core.prompts.identity import may_be_repainted, same_prompt, squeeze
from clawtap_core.prompts.sanitize import is_command
from clawtap_core.prompts.screen_tracker import PromptSighting, blank, unclear
from clawtap_core.prompts.validation import FormCheck, any_form
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, Timings
from clawtap_core.screens import drawn

_COMPARED = 300  # characters of two drafts
_WORDS = re.compile(r"[A-Za-z][A-Za-z ]{3,}[A-Za-z]")


class _Absence:
    """How long something has been away from the screen."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since: float | None = None

    def back(self) -> None:
        """Record that it is on the screen."""
        self._since = None

    def lasts(self) -> float:
        """Record that it is away; return for how many seconds."""
        now = self._clock()
        if self._since is None:
            self._since = now
        return now - self._since


class PromptGuard:
    """The guard of an answer: it goes only to the prompt that was seen, and ends when that leaves.

    `sighting`: the prompt as it was last read. A prompt with the same text may be a later one; the
    screen then shows `answer_text`, the words of the answer, above it. `fits` judges each prompt on
    the screen before anything is typed. `pages`: the questions of a form that has several pages.
    """

    def __init__(
        self,
        adapter: Adapter,
        form: PromptForm,
        option: str | None = None,
        *,
        sighting: PromptSighting | None = None,
        answer_text: str = "",
        fits: FormCheck = any_form,
        pages: Sequence[Question] = (),
        clock: Callable[[], float] = time.monotonic,
        timings: Timings = DEFAULT_TIMINGS,
    ) -> None:
        self._adapter = adapter
        self._form = form
        self._pages = frozenset(squeeze(page.question) for page in pages)
        self._timings = timings
        self._option = option
        self._away = _Absence(clock)
        self._standing = sighting
        self._clock = clock
        unsettled = sighting is not None and not sighting.settled
        self._resized_at = clock() if unsettled else float("-inf")
        self._answer_text = answer_text
        self._lost_in: Screen | None = None
        self._fits = fits
        self.desk_draft = ""

    def allows(self, screen: Screen) -> bool:
        """Return True if the same prompt is on the screen and still offers what was chosen."""
        form = self._adapter.detect_prompt(screen)
        if form is None or not same_prompt(self._form, form):
            return False
        if self._option is not None and not (form.more_options or form.option(self._option)):
            return False
        before = self._standing
        if before and not before.same(form, screen):
            return False
        if before and before.settled and before.answered(form, screen):
            return False
        if not self._fits(form):
            return False
        now = self._clock()
        if before and before.screen.size != screen.size:
            self._resized_at = now
        # For a moment the CLI may still paint what a resize has moved.
        settled = now - self._resized_at >= self._timings.screens.resize_grace
        self._standing = PromptSighting(form, screen, settled)
        return True

    def unmoved(self, asked: Screen, now: Screen, *, cursor: bool) -> bool:
        """Return True if the same is offered, with the cursor on the same row."""
        before, after = self._adapter.detect_prompt(asked), self._adapter.detect_prompt(now)
        return _same(before, after, cursor=cursor)

    def another(self, screen: Screen) -> bool:
        """Return True if a prompt is there."""
        return self._adapter.detect_prompt(screen) is not None

    def may_ask(self, screen: Screen) -> bool:
        """Return True if a prompt is there, or the CLI is not seen to do anything else."""
        seen = self._adapter.detect_state(screen, None)
        waits = seen is not None and seen.state is SessionState.WAITING
        return self.another(screen) or blank(screen) or unclear(seen) or waits

    def held_back(self, screen: Screen) -> bool:
        """Return True if the CLI shows the composer in the prompt's place while somebody types."""
        seen = self._adapter.detect_state(screen, None)
        if seen is None or not seen.holds_back:
            return False
        self.desk_draft = seen.draft or ""
        return True

    def landmark(self, screen: Screen) -> str | None:
        """Return the longest words in a row of the prompt's options."""
        if (form := self._adapter.detect_prompt(screen)) is None:
            return ""
        rows = screen.lines[form.top or 0 :]
        labels = [option.label for option in form.options]
        labels += [option.label for question in form.questions for option in question.options]
        words = (found for label in labels for found in _WORDS.findall(label))
        return max(
            (text for text in words if any(text in row for row in rows)), key=len, default=""
        )

    def needs_quiet(self) -> bool:
        """Return False: a deciding key is tested together with what stands there."""
        return False

    def over(self, screen: Screen) -> bool:
        """Return True if the prompt left: another is shown, or the CLI has clearly continued."""
        if form := self._adapter.detect_prompt(screen):
            return self._followed(form, screen)
        seen = self._adapter.detect_state(screen, None)
        if seen and seen.holds_back:
            # Ours may stand behind the composer, and our key in it; or the next one stands there.
            self._away.back()
            return False
        away = self._away.lasts()
        if blank(screen) or unclear(seen):
            return away >= self._timings.screens.unclear_leaves
        self._lost_in = screen
        # A half-painted frame never shows the composer in the prompt's place.
        composing = seen and seen.state is SessionState.BUSY and seen.draft is not None
        return bool(composing) or away >= self._timings.prompt_away

    def lost_sight(self) -> bool:
        """Return True if the CLI was seen to continue for a moment, in a pane of the same size."""
        asked, lost = self._standing, self._lost_in
        return bool(asked and lost and asked.screen.size == lost.size)

    def _followed(self, form: PromptForm, screen: Screen) -> bool:
        """Return True if this came after our prompt, and is not ours with other rows in sight."""
        if self._standing and self._standing.answered(form, screen, self._answer_text):
            return True
        if same_prompt(self._form, form) or self._is_last_page(form):
            self._away.back()
            return False
        if not may_be_repainted(self._form, form):
            return True
        return self._away.lasts() >= self._timings.prompt_repainted

    def _is_last_page(self, form: PromptForm) -> bool:
        """Return True for the page whose answer ends a form of several; a new one begins again."""
        at = form.position
        if len(self._pages) < 2 or not form.questions or (at and at.index < at.total):
            return False
        return squeeze(form.questions[0].question) in self._pages


def _same(before: PromptForm | None, after: PromptForm | None, *, cursor: bool = True) -> bool:
    if before is None or after is None:
        return False
    selected = after.selected if cursor else before.selected
    return replace(before, top=None) == replace(after, top=None, selected=selected)


class _StateGuard:
    """The base of the guards that go by the CLI's state: no prompt may be open."""

    def __init__(self, adapter: Adapter, previous: Previous | None = None) -> None:
        self._adapter = adapter
        self._previous = previous

    def lost_sight(self) -> bool:
        """Return False: what these keys decide is over only when it stays away."""
        return False

    def another(self, screen: Screen) -> bool:
        """Return True if a prompt is there."""
        return self._adapter.detect_prompt(screen) is not None

    def may_ask(self, screen: Screen) -> bool:
        """Return True if a prompt is there; none of these keys has several pages."""
        return self.another(screen)

    def held_back(self, screen: Screen) -> bool:
        """Return False: these keys answer nothing."""
        return False

    def landmark(self, screen: Screen) -> str | None:
        """Return None: these keys answer nothing."""
        return None

    def needs_quiet(self) -> bool:
        """Return True: what was just typed may yet show, and be what the keys would be for."""
        return True

    def _seen(self, screen: Screen) -> SeenState | None:
        if self._adapter.detect_prompt(screen):
            return None
        return self._adapter.detect_state(screen, self._previous)


class ComposerGuard(_StateGuard):
    """The guard of a message or a switch: the composer is idle and holds nothing of the desk's."""

    def __init__(
        self,
        adapter: Adapter,
        text: str = "",
        *,
        begun: bool = False,
        clock: Callable[[], float] = time.monotonic,
        timings: Timings = DEFAULT_TIMINGS,
    ) -> None:
        super().__init__(adapter)
        self._away_after = timings.prompt_away
        self._unclear_leaves = timings.screens.unclear_leaves
        self._text, self._is_command = drawn(text), is_command(text)
        self._begun = begun
        self._draft, self._replaced = _Absence(clock), _Absence(clock)
        self._entered = ""

    def allows(self, screen: Screen) -> bool:
        """Return True if it is idle, and its composer holds at most what was typed here."""
        seen = self._seen(screen)
        if seen is None or seen.state is not SessionState.IDLE or seen.draft is None:
            return False
        draft = drawn(seen.draft)
        mine = self._begun and (not self._text or draft in self._text)
        if draft and not mine:
            return False
        self._begun = True
        return True

    def landmark(self, screen: Screen) -> str | None:
        """Return "": Enter would send what others have just typed along with the text."""
        seen = self._seen(screen)
        self._entered = drawn(seen.draft or "") if seen else ""
        return ""

    def unmoved(self, asked: Screen, now: Screen, *, cursor: bool) -> bool:
        """Return True if the composer, or the list that a command opened, stands as it stood."""
        listed, still = self._adapter.detect_prompt(asked), self._adapter.detect_prompt(now)
        if listed or still:
            return _same(listed, still)
        before, after = self._seen(asked), self._seen(now)
        return before is not None and after is not None and before.draft == after.draft

    def over(self, screen: Screen) -> bool:
        """Return True if the text left the composer: the CLI works, or the text stays away.

        A text that a hook refused has left it, too, though the CLI may have put it back.
        """
        if self._adapter.detect_prompt(screen):
            return True
        seen = self._adapter.detect_state(screen, None)
        if seen and seen.refusal and seen.draft:
            return True
        unknown = unclear(seen)
        if seen and not unknown and self._is_another(seen.draft or ""):
            # A CLI may put back what the desk set aside, once the text has left.
            return self._replaced.lasts() >= self._unclear_leaves
        self._replaced.back()
        # In place of the composer, a command may have opened a list the adapter does not know.
        if (seen and seen.draft) or (unknown and not self._is_command):
            self._draft.back()
            return False
        away = self._draft.lasts()
        if seen is None or unknown:
            return away >= self._unclear_leaves
        return seen.state is SessionState.BUSY or away >= self._away_after

    def _is_another(self, draft: str) -> bool:
        """Return True if a draft has nothing of what was entered, though somebody may edit that."""
        shown = drawn(draft)
        if not shown or not self._entered or shown in self._text:
            return False
        if self._text and self._text in shown:
            return False
        first, second = shown[:_COMPARED], self._entered[:_COMPARED]
        same = SequenceMatcher(None, first, second, autojunk=False).find_longest_match()
        return same.size * 2 < min(len(first), len(second))


class BusyGuard(_StateGuard):
    """The guard of an interrupt: it goes only to a busy CLI, and ends when that is no longer busy.

    `previous`: what was seen before, since one screen does not always tell.
    """

    def allows(self, screen: Screen) -> bool:
        """Return True if the CLI is busy."""
        seen = self._seen(screen)
        return seen is not None and seen.state is SessionState.BUSY

    def unmoved(self, asked: Screen, now: Screen, *, cursor: bool) -> bool:
        """Return True: a busy CLI may write anything."""
        return True

    def over(self, screen: Screen) -> bool:
        """Return True if the CLI is no longer busy."""
        return not self.allows(screen)
