"""Answering a prompt: which way each answer takes, and the page that follows the last question."""

from __future__ import annotations

import re
from typing import Any

from clawtap_claude.keys.deny_reason import amend
from clawtap_claude.keys.form import Filling, fill_in, press_button
from clawtap_claude.keys.profile import HANDS
from clawtap_claude.screen.parsed_form import FormReading
from clawtap_claude.screen.prompt import read
from clawtap_claude.screen.questions import CANCEL, SUBMIT
from clawtap_core import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Response,
    Screen,
    Steps,
    hookimpl,
)
from clawtap_core.keystrokes import (
    Pages,
    choose,
    empty,
    open_question,
    page_by_page,
    select_many,
    write,
)
from clawtap_core.screens import ParsedPrompt

_UNANSWERED = re.compile(r"not answered|unanswered", re.IGNORECASE)


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an answer, for the screen as it is."""
    pages = Pages(
        keys=lambda now, done: _steps(prompt, response, now, done),
        follows=lambda now: _page_follows(prompt, now),
        review=lambda now: _review(response, now),
        first=HANDS.settled,
    )
    return page_by_page(prompt, read(screen), progress, pages)


def _steps(prompt: PromptForm, response: Response, now: ParsedPrompt, done: Any) -> Steps | None:
    if response.decision == "deny":
        return _refuse(prompt, response, now, done)
    if option := prompt.option(response.selected_option or ""):
        return _option(prompt, response, now, option, done)
    if isinstance(now, FormReading):
        return fill_in(now, _by_name(prompt, response), done or Filling())
    if prompt.questions:
        return _answer(prompt, response, now, done)
    if response.text_value and prompt.text_input:
        return write(now, response.text_value, done, HANDS)
    return None


def _refuse(prompt: PromptForm, response: Response, now: ParsedPrompt, done: Any) -> Steps | None:
    """No to a prompt without a row that says so: a plan takes what to change, Escape the rest."""
    if prompt.kind is Kind.PLAN and response.reason:
        return write(now, response.reason, done, HANDS)
    return HANDS.decide("Escape") if now.escapes else None


def _option(
    prompt: PromptForm, response: Response, now: ParsedPrompt, option: Option, done: Any
) -> Steps | None:
    if response.text_value:
        return None
    if isinstance(now, FormReading):
        return press_button(now, option.label, done or Filling())
    if option.effect is Effect.DENY and response.reason and prompt.takes_reason:
        return amend(now, option.label, response.reason, done)
    row, field = now.row(option.label), now.field
    if row and row.selected and field and field.row is None and field.text:
        # What the desk has begun to write there would go along with Enter.
        return empty(field.text, done, HANDS)
    return choose(now, option.label, HANDS)


def _by_name(prompt: PromptForm, response: Response) -> dict[str, str]:
    asked = enumerate(prompt.questions)
    given = {question.header: response.answers.get(str(at)) for at, question in asked}
    return {name: answer for name, answer in given.items() if isinstance(answer, str)}


def _answer(prompt: PromptForm, response: Response, now: ParsedPrompt, done: Any) -> Steps | None:
    """An answer to the one question that is open."""
    if now.review and prompt.title != now.form.title:
        return choose(now, SUBMIT, HANDS)
    at = open_question(prompt, now)
    if at is None:
        return None
    question, labels = prompt.questions[at], response.labels(at)
    offered = {row.label for row in now.rows}
    others = [label for label in labels if label not in offered]
    if apart := next((label for label in labels if label in now.aside), None):
        return choose(now, apart, HANDS)
    if question.multi_select:
        return select_many(now, lambda label: label in labels, ", ".join(others), done, HANDS)
    if not labels:
        return None
    return write(now, others[0], done, HANDS) if others else choose(now, labels[0], HANDS)


def _page_follows(prompt: PromptForm, now: ParsedPrompt) -> bool:
    """Whether a page of the same form follows: the review, or a further known question."""
    if not now.form.questions or now.form.dialog or not now.aside or now.review:
        return False
    position = now.form.position
    last = position is None or position.index == position.total
    return len(prompt.questions) > 1 or (last and (position is not None or now.several))


def _review(response: Response, now: ParsedPrompt) -> Steps | None:
    """Submit the review page that follows the last answer; one with gaps is left to the user."""
    if _UNANSWERED.search(now.form.description) or CANCEL in response.labels():
        return None
    return choose(now, SUBMIT, HANDS)
