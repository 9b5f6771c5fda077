"""Answering a prompt: which way each answer takes, and the page that follows the last question."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.amending import amend
from clawtap_claude.asking import CANCEL, SUBMIT
from clawtap_claude.detecting import read
from clawtap_claude.filling import Filling, fill_in, press_button
from clawtap_claude.hands import HANDS
from clawtap_claude.reading import FormReading
from clawtap_core import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    Response,
    Screen,
    Steps,
    hookimpl,
)
from clawtap_core.fingerprint import squeeze
from clawtap_core.reading import Reading
from clawtap_core.writing import choose, empty, one_key, tick, write

_UNANSWERED = re.compile(r"not answered|unanswered", re.IGNORECASE)
_PATIENCE = 6


@dataclass(frozen=True, slots=True)
class _Sent:
    """A question was answered; another tab or the review page is expected to follow.

    `asked` is that question, so that its own screen is not taken for the next.
    """

    asked: str
    submitted: bool = False
    waited: int = 0


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an answer, for the screen as it is."""
    now = read(screen)
    if isinstance(progress, _Sent):
        return _goes_on(prompt, response, now, progress)
    if now is None:
        return Steps(progress=progress)
    return _keys(prompt, response, now, progress)


def _keys(
    prompt: PromptForm, response: Response, now: Reading, progress: Any, *, spans: bool = False
) -> Steps | None:
    """The next keys on a page, once those before them show."""

    def following(done: Any) -> Steps | None:
        return _follow(prompt, now, _steps(prompt, response, now, done))

    return one_key(now, progress, following, first=HANDS.settled, spans=spans)


def _steps(prompt: PromptForm, response: Response, now: Reading, done: Any) -> Steps | None:
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


def _refuse(prompt: PromptForm, response: Response, now: Reading, done: Any) -> Steps | None:
    """No to a prompt without a row that says so: a plan takes what to change, Escape the rest."""
    if prompt.kind is Kind.PLAN and response.reason:
        return write(now, response.reason, done, HANDS)
    return HANDS.decide("Escape") if now.escapes else None


def _option(
    prompt: PromptForm, response: Response, now: Reading, option: Option, done: Any
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


def _answer(prompt: PromptForm, response: Response, now: Reading, done: Any) -> Steps | None:
    """An answer to the one question that is open."""
    if now.review and prompt.title != now.form.title:
        return choose(now, SUBMIT, HANDS)
    at = _index(prompt, now)
    if at is None:
        return None
    question, labels = prompt.questions[at], _labels(response, at)
    offered = {row.label for row in now.rows}
    others = [label for label in labels if label not in offered]
    if apart := next((label for label in labels if label in now.aside), None):
        return choose(now, apart, HANDS)
    if question.multi_select:
        return tick(now, lambda label: label in labels, ", ".join(others), done, HANDS)
    if not labels:
        return None
    return write(now, others[0], done, HANDS) if others else choose(now, labels[0], HANDS)


def _index(prompt: PromptForm, now: Reading) -> int | None:
    """Which of the prompt's questions is open now."""
    if len(prompt.questions) == 1:
        return 0
    shown: Question | None = now.form.questions[0] if now.form.questions else None
    if shown is None:
        return None
    words = squeeze(shown.question)
    return next(
        (at for at, asked in enumerate(prompt.questions) if squeeze(asked.question) == words), None
    )


def _labels(response: Response, at: int) -> tuple[str, ...]:
    answer = response.answers.get(str(at), ())
    return (answer,) if isinstance(answer, str) else tuple(answer)


def _follow(prompt: PromptForm, now: Reading, steps: Steps | None) -> Steps | None:
    """After an answer that another page follows, the delivery goes on."""
    asked = now.form.questions[0].question if now.form.questions else ""
    if not steps or not steps.done or now.review or not _pages(prompt, now):
        return steps
    return replace(steps, progress=_Sent(asked), spans=True, done=False)


def _pages(prompt: PromptForm, now: Reading) -> bool:
    """Whether a page of the same form follows: the review, or a further known question."""
    if not now.form.questions or now.form.dialog or not now.aside:
        return False
    position = now.form.position
    last = position is None or position.index == position.total
    return len(prompt.questions) > 1 or (last and (position is not None or now.several))


def _goes_on(
    prompt: PromptForm, response: Response, now: Reading | None, sent: _Sent
) -> Steps | None:
    """The next question that was answered, or the review page, which is sent."""
    waits = Steps(progress=replace(sent, waited=sent.waited + 1), spans=True)
    if sent.waited >= _PATIENCE or now is None or not now.form.questions:
        return Steps(done=True)
    if now.review:
        if sent.submitted:
            return waits
        if _UNANSWERED.search(now.form.description) or CANCEL in _labels(response, 0):
            return Steps(done=True)
        steps = choose(now, SUBMIT, HANDS)
        return steps and replace(steps, progress=_Sent("", True), spans=True, done=False)
    asked = now.form.questions[0].question
    if asked == sent.asked:
        return waits
    if len(prompt.questions) == 1 or _index(prompt, now) is None:
        return Steps(done=True)
    return _keys(prompt, response, now, None, spans=True)
