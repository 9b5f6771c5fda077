"""Answer a prompt with keys."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from clawtap_claude.keys.form import FormProgress, fill_in, press_button
from clawtap_claude.keys.profile import KEYS, keys_of
from clawtap_claude.keys.reason import can_be_read_back, write_reason
from clawtap_claude.screen.form_fields import ParsedForm
from clawtap_claude.screen.prompt import parse_prompt
from clawtap_claude.screen.questions import CANCEL, SUBMIT, ParsedQuestion
from clawtap_claude.words import WORDS
from clawtap_core import (
    Effect,
    Kind,
    Option,
    Pause,
    Press,
    PromptForm,
    Question,
    Response,
    Screen,
    Steps,
    hookimpl,
)
from clawtap_core.keystrokes import (
    Pages,
    answers_all,
    choose,
    empty,
    label_on_page,
    open_question,
    page_by_page,
    press,
    select_many,
    send_one_key,
    write,
)
from clawtap_core.screens import ParsedPrompt, drawn, letters

_UNANSWERED = WORDS.pattern("respond.unanswered")


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the current screen."""
    parsed = parse_prompt(screen)

    def keys(parsed: ParsedPrompt, progress: Any) -> Steps | None:
        return _steps(prompt, response, parsed, screen, progress)

    if isinstance(parsed, ParsedForm):
        # Fields that scroll are not pages.
        return send_one_key(parsed, progress, functools.partial(keys, parsed), first=KEYS.settled)
    pages = Pages(
        keys=keys,
        follows=lambda parsed: _page_follows(prompt, parsed),
        review=lambda parsed: submit_review(prompt, response, parsed),
        answers_all=answers_all(prompt, response),
        back="Left",
        first=KEYS.settled,
    )
    return page_by_page(prompt, parsed, progress, pages)


def _steps(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, screen: Screen, progress: Any
) -> Steps | None:
    if isinstance(parsed, ParsedQuestion) and parsed.notes is not None:
        # With words of the desk in them, Enter would send those alone; without, it leaves them.
        if parsed.notes:
            return empty(parsed.notes, progress, KEYS)
        # Right after the last Backspace it can get lost, and a second one might choose an option.
        return Steps((Pause(KEYS.settled), Press("Enter")), progress=progress)
    if response.decision == "deny":
        # No row denies here: a plan has its field for changes, the rest Escape.
        if prompt.kind is Kind.PLAN and response.reason and can_be_read_back(response.reason):
            return write(parsed, response.reason, progress, KEYS)
        escape = KEYS.decide("Escape") if parsed.escape_denies else None
        return escape and replace(escape, reason_left=bool(response.reason))
    if option := prompt.option(response.selected_option or ""):
        return _choose_option(prompt, response, parsed, option, screen, progress)
    if isinstance(parsed, ParsedForm):
        return fill_in(prompt, response, parsed, progress)
    if prompt.questions:
        return _answer_question(prompt, response, parsed, progress)
    if response.text_value and prompt.text_input:
        return write(parsed, response.text_value, progress, KEYS)
    return None


def _choose_option(
    prompt: PromptForm,
    response: Response,
    parsed: ParsedPrompt,
    option: Option,
    screen: Screen,
    progress: Any,
) -> Steps | None:
    if response.text_value:
        return None
    if isinstance(parsed, ParsedForm):
        return press_button(parsed, option.label, progress or FormProgress())
    # The line that offers the field is painted last, and may have come since the prompt was known.
    offered = prompt.takes_reason or parsed.form.takes_reason
    if response.reason and offered and option.effect in (Effect.DENY, Effect.ALLOW_ONCE):
        return write_reason(parsed, option.label, response.reason, progress, screen)
    row, field = parsed.row(option.label), parsed.field
    if row and row.selected and field and field.row is None and field.text:
        # What the desk has begun to write there would go along with Enter.
        return empty(field.text, progress, KEYS)
    return choose(parsed, option.label, KEYS)


def _answer_question(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    if parsed.review and prompt.title != parsed.form.title:
        return choose(parsed, SUBMIT, KEYS)
    profile = keys_of(parsed)
    at = open_question(prompt, parsed)
    if at is None:
        return None
    question, answers = prompt.questions[at], response.labels(at)
    offers = {*(option.label for option in question.options), *(row.label for row in parsed.rows)}
    labels = [label_on_page(question, parsed, label) for label in answers if label in offers]
    others = [answer for answer in answers if answer not in offers]
    if apart := next((label for label in labels if label in parsed.extra_labels), None):
        return choose(parsed, apart, profile)
    if question.multi_select:
        if not parsed.may_have_rows(labels):
            return None  # the rest alone would be another answer
        if progress is None and profile.scrolls and parsed.rows[0].number != 1:
            return press("Up")  # the desk has moved on in the list, which is read from its top
        return select_many(parsed, labels.__contains__, ", ".join(others), progress, profile)
    if others:
        return write(parsed, others[0], progress, profile)
    if not labels:
        return None
    return _towards(question, parsed, labels[0]) or choose(parsed, labels[0], profile)


def _towards(question: Question, parsed: ParsedPrompt, label: str) -> Steps | None:
    """Return the key towards a row above the window of a list that scrolls, or None."""
    offered = [option.label for option in question.options]
    first = parsed.rows[0].number
    if not keys_of(parsed).scrolls or label not in offered or parsed.row(label) or not first:
        return None
    return press("Up") if offered.index(label) + 1 < first else None


def _page_follows(prompt: PromptForm, parsed: ParsedPrompt) -> bool:
    if not parsed.form.questions or parsed.form.dialog or not parsed.extra_labels or parsed.review:
        return False
    position = parsed.form.position
    last = position is None or position.index == position.total
    return len(prompt.questions) > 1 or (last and (position is not None or parsed.multi_select))


def submit_review(prompt: PromptForm, response: Response, parsed: ParsedPrompt) -> Steps | None:
    """Return the keys that send the answers; no keys while one of them is not in view."""
    # An answer of a question may read the same.
    cancels = prompt.title == parsed.form.title and CANCEL in response.labels()
    if _UNANSWERED.search(parsed.form.description) or cancels:
        return None
    if not _shows_answers(prompt, response, parsed):
        return Steps()  # an answer that the CLI did not take, or one out of sight
    return choose(parsed, SUBMIT, KEYS)


def _shows_answers(prompt: PromptForm, response: Response, review: ParsedPrompt) -> bool:
    """Return True if a review shows every answer that was given, apart from how it draws signs."""
    # The terminal composes an accent that is a character of its own.
    shown = letters(drawn(review.form.description))
    labels = [label for at in range(len(prompt.questions)) for label in response.labels(at)]
    return all(letters(drawn(label)) in shown for label in labels)
