"""Questions on separate pages: answer each as it comes, then the review page."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.keystrokes.key_profile import KeyProfile, pause
from clawtap_core.keystrokes.multi_select import select_many
from clawtap_core.keystrokes.selection import choose, label_on_page, press
from clawtap_core.keystrokes.single_key import KeyProgress, send_one_key
from clawtap_core.keystrokes.text_field import line, write
from clawtap_core.model import (
    Paste,
    Pause,
    Position,
    Press,
    PromptForm,
    Question,
    Response,
    Steps,
    Type,
)
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import is_asked_by
from clawtap_core.screens import ParsedPrompt

# How often to look again: for what a key changed, and, a moment apart, for the page to turn back.
_PATIENCE = 6
_TURNS_WITHIN, _MOMENT = 25, 0.1


@dataclass(frozen=True, slots=True)
class Pages:
    """How the pages of one answer are filled in.

    `keys` returns the next keys for an open page and its own progress; `follows` returns True if
    the answer goes on after it, to another page of the same form or to its review. `review`, where
    the CLI has a review page, returns the keys that send it, no keys while it may lack an answer
    that is not painted or out of sight, or None if it lacks one. Such a review is left to the user,
    or with `answers_all`, where every question was answered, the answer fails: the CLI did not take
    it. `unseen` returns the keys that send a review which is partly out of sight, once every
    question was answered on its page. `back` is the key that turns back a page: an answer of all
    questions begins at the first, also where somebody has turned to another. `again` and `first`
    are those of `send_one_key`.
    """

    keys: Callable[[ParsedPrompt, Any], Steps | None]
    follows: Callable[[ParsedPrompt], bool]
    review: Callable[[ParsedPrompt], Steps | None] | None = None
    answers_all: bool = False
    unseen: Callable[[ParsedPrompt], Steps | None] | None = None
    back: str | None = None
    again: int = 0
    first: float = 0.0

    def turns_back(self, prompt: PromptForm, parsed: ParsedPrompt, progress: Any) -> bool:
        """Return True if the answer has to begin on an earlier page than the open one."""
        begun = isinstance(progress, KeyProgress)
        if begun or not (self.back and self.answers_all):
            return False
        if parsed.review:
            # Without its call a review is a prompt of its own.
            return not any(is_asked_by(parsed.form, question) for question in prompt.questions)
        return bool(open_question(prompt, parsed))

    def turn_back(self, parsed: ParsedPrompt, progress: Any) -> Steps | None:
        """Return the key that turns back this page, once the last one shows; None if it never does.

        In a text field it would move the caret, so an arrow leaves that first.
        """
        form = parsed.form
        page = (parsed.review, _question_of(form), form.position, parsed.in_field_row)
        if isinstance(progress, _TurningBack) and progress.page == page:
            if progress.waited >= _TURNS_WITHIN:
                return None
            waits = replace(progress, waited=progress.waited + 1)
            return Steps((Pause(_MOMENT),), progress=waits, spans=True)
        key = parsed.arrows[0] if parsed.in_field_row else self.back
        first = pause(0.0 if isinstance(progress, _TurningBack) else self.first)
        steps = (*first, *press(str(key)).steps)
        return Steps(steps, progress=_TurningBack(page), spans=True)

    def fill(
        self,
        prompt: PromptForm,
        parsed: ParsedPrompt,
        progress: Any,
        *,
        spans: bool,
        answered: frozenset[int] = frozenset(),
    ) -> Steps | None:
        """Return the next keys on this page; the deciding one leads to the next page, if any.

        None if keys turned the page before its answer was complete, or would go to the next one.
        """

        begun_page = progress.then if isinstance(progress, KeyProgress) else None
        if isinstance(begun_page, _BegunPage) and begun_page.left_for(prompt, parsed):
            return None

        def following(begun: _BegunPage | None) -> Steps | None:
            begun = begun or _BegunPage(parsed, answered=answered)
            steps = self.keys(parsed, begun.progress)
            if not steps:
                return None
            if not steps.done:
                return replace(steps, progress=replace(begun, progress=steps.progress))
            if not self.follows(parsed):
                return steps
            if _keys_after_deciding(steps):
                return None
            at = open_question(prompt, parsed)
            last = at in (None, len(prompt.questions) - 1)
            after = PageProgress(
                _question_of(parsed.form),
                last,
                answered=begun.with_answer(at),
                place=parsed.form.position,
            )
            return replace(steps, progress=after, spans=True, done=False)

        return send_one_key(
            parsed, progress, following, again=self.again, first=self.first, spans=spans
        )


@dataclass(frozen=True, slots=True)
class _TurningBack:
    """A key was pressed that turns back this page; `waited`: how many looks still showed it."""

    page: Hashable
    waited: int = 0


@dataclass(frozen=True, slots=True)
class _BegunPage:
    """A page on which keys were pressed, and the progress of its answer.

    `answered`: the questions that were answered on earlier pages.
    """

    page: ParsedPrompt
    progress: Any = None
    answered: frozenset[int] = frozenset()

    def with_answer(self, at: int | None) -> frozenset[int]:
        """Return the questions that are answered once this one is."""
        return self.answered if at is None else self.answered | {at}

    def left_for(self, prompt: PromptForm, parsed: ParsedPrompt) -> bool:
        """Return True if another page of the form is open now: what was begun is not for it."""
        before, after = self.page.form.position, parsed.form.position
        if before and after and before != after:
            return True
        pages = [open_question(prompt, page) for page in (self.page, parsed)]
        return None not in pages and pages[0] != pages[1]


@dataclass(frozen=True, slots=True)
class PageProgress:
    """A page was answered, and another is expected.

    `question` is the answered one, so that its screen is not taken for the next. `last`: it is the
    last of the prompt. `sent`: it was the review page. `waited`: how many looks showed no other
    page. `before`: the review page before a key that should change or leave it. `answered`: the
    questions that were answered. `place`: the answered page's, since two may ask the same.
    """

    question: str = ""
    last: bool = True
    sent: bool = False
    waited: int = 0
    before: Hashable = None
    answered: frozenset[int] = frozenset()
    place: Position | None = None

    def stays(self, form: PromptForm) -> bool:
        """Return True if the answered page is still there, perhaps without its tabs."""
        moved = None not in (self.place, form.position) and self.place != form.position
        return _question_of(form) == self.question and not moved


def page_by_page(
    prompt: PromptForm, parsed: ParsedPrompt | None, progress: Any, pages: Pages
) -> Steps | None:
    """Return the next keys of an answer that may span several pages.

    None if a page does not turn, though it was answered.
    """
    if isinstance(progress, PageProgress):
        return _after_page(prompt, parsed, progress, pages)
    turning = isinstance(progress, _TurningBack)
    if parsed is None:
        spans = turning or (isinstance(progress, KeyProgress) and progress.spans)
        return Steps(progress=progress, spans=spans)
    if pages.turns_back(prompt, parsed, progress):
        return pages.turn_back(parsed, progress)
    begun = KeyProgress(spans=True) if turning else progress
    return pages.fill(prompt, parsed, begun, spans=False)


def answers_all(prompt: PromptForm, response: Response) -> bool:
    """Return True if the response answers every question that the CLI asks here."""
    asked = range(len(prompt.questions))
    return _asks_all(prompt) and all(response.labels(at) for at in asked)


def _asks_all(prompt: PromptForm) -> bool:
    """Return True if the prompt has all pages of the CLI's form, not one of several."""
    place = prompt.position
    return not place or place.total == len(prompt.questions)


def open_question(prompt: PromptForm, parsed: ParsedPrompt) -> int | None:
    """Return the index of the open question."""
    if len(prompt.questions) == 1:
        return 0
    form = _without_extra_rows(parsed.form, parsed)
    asked = _without_extra_rows(prompt, parsed).questions
    alike = [i for i, question in enumerate(asked) if is_asked_by(form, question)]
    place = form.position
    if place and place.total == len(asked) and place.index - 1 in alike:
        return place.index - 1
    # What a low pane shows of a question may be the end of several.
    return alike[0] if alike and (len(alike) == 1 or not form.truncated) else None


def answer_question(
    prompt: PromptForm,
    response: Response,
    parsed: ParsedPrompt,
    progress: Any,
    profile: KeyProfile,
    before_ticks: Callable[[ParsedPrompt, str, Any], Steps | None] = lambda *_: None,
) -> Steps | None:
    """Return the next keys of the answer to the open question; None if the prompt lacks it.

    Labels that are not on offer are the user's own words, and go into the text field in one line.
    `before_ticks` gets the page, these words and the progress, and returns keys that a list with
    boxes needs first, or None.
    """
    at = open_question(prompt, parsed)
    if at is None:
        return None
    question, labels = prompt.questions[at], response.labels(at)
    offers = {option.label for option in question.options}
    own = line(", ".join(label for label in labels if label not in offers))
    offered = [label_on_page(question, parsed, label) for label in labels if label in offers]
    if question.multi_select:
        if not parsed.may_have_rows(offered):
            return None  # the rest alone would be another answer
        chosen = frozenset(offered)
        return before_ticks(parsed, own, progress) or select_many(
            parsed, chosen.__contains__, own, progress, profile
        )
    if own or not question.options:
        return write(parsed, own, progress, profile)
    return choose(parsed, offered[0], profile) if offered else None


def needs_other_row(prompt: PromptForm, response: Response, parsed: ParsedPrompt) -> bool:
    """Return True if the answer needs a row of the list while keys go into its text field."""
    at = open_question(prompt, parsed)
    if at is None or not parsed.in_field_row:
        return False
    question, labels = prompt.questions[at], response.labels(at)
    if {option.label for option in question.options}.issuperset(labels):
        return True
    drawn = [label_on_page(question, parsed, label) for label in labels]
    return any(
        row.checked is not None and row.checked != (row.label in drawn) for row in parsed.rows
    )


def has_next_page(prompt: PromptForm, parsed: ParsedPrompt) -> bool:
    """Return True if another page follows where a review comes after the last question."""
    if not parsed.form.questions or parsed.review:
        return False
    position = parsed.form.position
    # Only the pages of questions that are known can be answered. A low pane hides the tabs.
    return len(prompt.questions) > 1 or (position is not None and position.index == position.total)


def _without_extra_rows(form: PromptForm, parsed: ParsedPrompt) -> PromptForm:
    """Return a form without the options that the CLI adds to what the model asks."""
    if not parsed.extra_labels:
        return form

    def asked(question: Question) -> Question:
        options = (each for each in question.options if each.label not in parsed.extra_labels)
        return replace(question, options=tuple(options))

    return replace(form, questions=tuple(map(asked, form.questions)))


def _after_page(
    prompt: PromptForm, parsed: ParsedPrompt | None, progress: PageProgress, pages: Pages
) -> Steps | None:
    again = _look_again(progress)
    # A page that is due may wait there unread, and what was answered is not sent before it.
    due = _asks_all(prompt) and bool(pages.review or not progress.last)
    if parsed is None:
        if progress.sent:
            return Steps(done=True)
        return again or (None if due else Steps(done=True))
    if not parsed.form.questions:
        return Steps(done=True)
    if parsed.review:
        return _at_review(prompt, parsed, progress, pages)
    if progress.stays(parsed.form):
        # Half painted, or not yet replaced. A page that stays says that its answer was not taken.
        return again
    if len(prompt.questions) == 1:
        return Steps(done=True)
    if open_question(prompt, parsed) is None:
        # Half painted in a low pane, it may be the page that is due.
        return again if due and parsed.form.truncated else Steps(done=True)
    return pages.fill(prompt, parsed, None, spans=True, answered=progress.answered)


def _at_review(
    prompt: PromptForm, parsed: ParsedPrompt, progress: PageProgress, pages: Pages
) -> Steps | None:
    """Return the next keys on the page that sends the answers."""
    again = _look_again(progress)
    if progress.sent or progress.before == parsed.visible_state:
        return again
    steps = pages.review(parsed) if pages.review else None
    if steps is None:
        return None if pages.answers_all else Steps(done=True)
    everything = _asks_all(prompt) and progress.answered.issuperset(range(len(prompt.questions)))
    if not steps.steps and not again and everything and pages.unseen:
        steps = pages.unseen(parsed)
    if steps is None or not steps.steps:
        return again
    begun = replace(progress, waited=0, before=parsed.visible_state)
    after = PageProgress(sent=True) if steps.done else begun
    return replace(steps, progress=after, spans=True, done=False)


def _look_again(progress: PageProgress) -> Steps | None:
    """Return no keys, for another look; None after too many."""
    if progress.waited >= _PATIENCE:
        return None
    return Steps(progress=replace(progress, waited=progress.waited + 1), spans=True)


def _keys_after_deciding(steps: Steps) -> bool:
    decided = False
    for step in steps.steps:
        if decided and isinstance(step, Press | Type | Paste):
            return True
        decided |= isinstance(step, Press) and step.deciding
    return False


def _question_of(form: PromptForm) -> str:
    """Return what tells one page from the next; where its top left the screen, the options help."""
    if not form.questions:
        return ""
    question = form.questions[0]
    options = (option.label for option in question.options) if form.truncated else ()
    return squeeze("".join((question.question, *options)))
