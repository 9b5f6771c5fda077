"""Answering a prompt: which way each answer takes, and the pages that follow the last question."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.fingerprint import same_prompt
from clawtap_core.reading import Reading
from clawtap_core.writing import choose, one_key, tick, write
from clawtap_gemini.composer import find_composer
from clawtap_gemini.detecting import read
from clawtap_gemini.fields import ALL
from clawtap_gemini.hands import AGAIN, HANDS
from clawtap_gemini.pages import CANCEL

_UNANSWERED = re.compile(r"\(not answered\)|\bunanswered\b")
_PATIENCE = 6


@dataclass(frozen=True, slots=True)
class _Sent:
    """The last question of several was answered; the review page is to be submitted."""

    submitted: bool = False
    waited: int = 0


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an answer, for the screen as it is."""
    now = read(screen)
    if isinstance(progress, _Sent):
        return _review(prompt, screen, now, progress)
    if now is None:
        return Steps(progress=progress)
    return one_key(now, progress, lambda done: _follow(prompt, response, now, done), again=AGAIN)


def _follow(prompt: PromptForm, response: Response, now: Reading, done: Any) -> Steps | None:
    """The next keys; after an answer that the review page follows, the delivery goes on."""
    steps = _steps(prompt, response, now, done)
    if steps and steps.done and _last_tab(now):
        return replace(steps, progress=_Sent(), spans=True, done=False)
    return steps


def _steps(prompt: PromptForm, response: Response, now: Reading, done: Any) -> Steps | None:
    if response.decision == "deny":
        return HANDS.decide("Escape") if now.escapes else None
    if now.review:
        return HANDS.decide("Escape" if CANCEL in _labels(response) else "Enter")
    if prompt.questions:
        return _answer(prompt, response, now, done)
    if option := prompt.option(response.selected_option or ""):
        return choose(now, option.label, HANDS) if not response.text_value else None
    if response.text_value and prompt.text_input:
        return write(now, response.text_value, done, HANDS)
    return None


def _answer(prompt: PromptForm, response: Response, now: Reading, done: Any) -> Steps | None:
    """An answer to the one question that is open."""
    if len(prompt.questions) != 1:
        return None
    question, labels = prompt.questions[0], _labels(response)
    offered = {option.label for option in question.options}
    others = [label for label in labels if label not in offered]
    if question.multi_select:
        wanted = set(labels) & offered
        return tick(
            now, lambda label: ALL in wanted or label in wanted, ", ".join(others), done, HANDS
        )
    if question.options and not others:
        return choose(now, labels[0], HANDS) if labels else None
    return write(now, others[0] if others else "", done, HANDS)


def _labels(response: Response) -> tuple[str, ...]:
    answer = response.answers.get("0", ())
    return (answer,) if isinstance(answer, str) else tuple(answer)


def _last_tab(now: Reading) -> bool:
    position = now.form.position
    return bool(now.form.questions and position and position.index == position.total)


def _review(prompt: PromptForm, screen: Screen, now: Reading | None, sent: _Sent) -> Steps:
    """Submit the review page that follows the last answer; one with gaps is left to the user."""
    waits = Steps(progress=replace(sent, waited=sent.waited + 1), spans=True)
    if sent.waited >= _PATIENCE or find_composer(screen):
        return Steps(done=True)
    if now is None:
        # Half painted; the page may be the next thing to come.
        return waits
    if not now.review:
        return Steps(done=True) if not same_prompt(now.form, prompt) else waits
    if sent.submitted:
        return waits
    if _UNANSWERED.search(now.form.description):
        return Steps(done=True)
    return replace(HANDS.decide(), progress=_Sent(submitted=True), spans=True, done=False)
