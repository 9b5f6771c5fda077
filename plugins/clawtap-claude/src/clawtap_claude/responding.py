"""Answering a prompt: which way each answer takes, and the page that follows the last question."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.amending import Amending, amend
from clawtap_claude.asking import CANCEL, SUBMIT
from clawtap_claude.choosing import choose, decide
from clawtap_claude.detecting import read
from clawtap_claude.filling import Filling, fill_in, press_button
from clawtap_claude.reading import Reading
from clawtap_claude.seeing import Pressed, remembered, shows, wait
from clawtap_claude.ticking import Ticking, tick
from clawtap_claude.writing import Writing, clearing, write
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
    first = progress is None
    if isinstance(progress, Pressed):
        if not shows(now, progress):
            return wait(progress)
        progress = progress.then
    steps = _follow(prompt, now, _steps(prompt, response, now, progress))
    return steps if steps and steps.spans else remembered(now, steps, first=first)


def _steps(prompt: PromptForm, response: Response, now: Reading, progress: Any) -> Steps | None:
    if response.decision == "deny":
        return _refuse(prompt, response, now, progress)
    if option := prompt.option(response.selected_option or ""):
        return _option(prompt, response, now, option, progress)
    if now.entries:
        return fill_in(now, _by_name(prompt, response), progress or Filling())
    if prompt.questions:
        return _answer(prompt, response, now, progress)
    if response.text_value and prompt.text_input:
        return write(now, response.text_value, progress or Writing())
    return None


def _refuse(prompt: PromptForm, response: Response, now: Reading, progress: Any) -> Steps | None:
    """No to a prompt without a row that says so: a plan takes what to change, Escape the rest."""
    if prompt.kind is Kind.PLAN and response.reason:
        return write(now, response.reason, progress or Writing())
    return decide("Escape") if now.escapes else None


def _option(
    prompt: PromptForm, response: Response, now: Reading, option: Option, progress: Any
) -> Steps | None:
    if response.text_value:
        return None
    if key := dict(now.keys).get(option.label):
        return decide(key)
    if now.entries:
        return press_button(now, option.label, progress or Filling())
    if option.effect is Effect.DENY and response.reason and prompt.tool_name and not option.hint:
        return amend(now, option.label, response.reason, progress or Amending())
    row = now.row(option.label)
    if now.amended and row and row.selected:
        # What the desk has begun to write there would go along with Enter.
        return Steps(clearing(now.amended), progress=progress)
    return choose(now, option.label, progress or 0)


def _by_name(prompt: PromptForm, response: Response) -> dict[str, str]:
    asked = enumerate(prompt.questions)
    given = {question.header: response.answers.get(str(at)) for at, question in asked}
    return {name: answer for name, answer in given.items() if isinstance(answer, str)}


def _answer(prompt: PromptForm, response: Response, now: Reading, progress: Any) -> Steps | None:
    """An answer to the one question that is open."""
    if now.review and prompt.title != now.form.title:
        return choose(now, SUBMIT, progress or 0)
    at = _index(prompt, now)
    if at is None:
        return None
    question, labels = prompt.questions[at], _labels(response, at)
    offered = {row.label for row in now.rows}
    others = [label for label in labels if label not in offered]
    if question.multi_select:
        return tick(now, set(labels) & offered, ", ".join(others), progress or Ticking())
    if not labels:
        return None
    if others:
        return write(now, others[0], progress or Writing())
    return choose(now, labels[0], progress or 0)


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
    if now.entries or not now.form.questions or now.form.dialog or not now.aside:
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
        steps = choose(now, SUBMIT, 0)
        return steps and replace(steps, progress=_Sent("", True), spans=True, done=False)
    asked = now.form.questions[0].question
    if asked == sent.asked:
        return waits
    if len(prompt.questions) == 1 or _index(prompt, now) is None:
        return Steps(done=True)
    steps = _follow(prompt, now, _answer(prompt, response, now, None))
    return steps and replace(steps, spans=True)
