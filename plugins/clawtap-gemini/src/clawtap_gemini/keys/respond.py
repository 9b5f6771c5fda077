"""Answering a prompt: which way each answer takes, and the pages that follow the last question."""

from __future__ import annotations

import re
from typing import Any

from clawtap_core import PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import Pages, choose, open_question, page_by_page, select_many, write
from clawtap_core.screens import ParsedPrompt
from clawtap_gemini.keys.profile import AGAIN, HANDS
from clawtap_gemini.screen.free_text import ALL
from clawtap_gemini.screen.prompt import read
from clawtap_gemini.screen.question_pages import CANCEL

_UNANSWERED = re.compile(r"\(not answered\)|\bunanswered\b")


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an answer, for the screen as it is."""
    pages = Pages(
        keys=lambda now, done: _steps(prompt, response, now, done),
        follows=lambda now: _page_follows(prompt, now),
        review=_review,
        again=AGAIN,
    )
    return page_by_page(prompt, read(screen), progress, pages)


def _steps(prompt: PromptForm, response: Response, now: ParsedPrompt, done: Any) -> Steps | None:
    if response.decision == "deny":
        return HANDS.decide("Escape") if now.escapes else None
    if now.review:
        return HANDS.decide("Escape" if CANCEL in _labels(response, 0) else "Enter")
    if prompt.questions:
        return _answer(prompt, response, now, done)
    if option := prompt.option(response.selected_option or ""):
        return choose(now, option.label, HANDS) if not response.text_value else None
    if response.text_value and prompt.text_input:
        return write(now, response.text_value, done, HANDS)
    return None


def _answer(prompt: PromptForm, response: Response, now: ParsedPrompt, done: Any) -> Steps | None:
    """An answer to the one question that is open."""
    at = open_question(prompt, now)
    if at is None:
        return None
    question, labels = prompt.questions[at], _labels(response, at)
    offered = {option.label for option in question.options}
    others = [label for label in labels if label not in offered]
    if question.multi_select:
        wanted = set(labels) & offered
        return select_many(
            now, lambda label: ALL in wanted or label in wanted, ", ".join(others), done, HANDS
        )
    if question.options and not others:
        return choose(now, labels[0], HANDS) if labels else None
    return write(now, others[0] if others else "", done, HANDS)


def _labels(response: Response, at: int) -> tuple[str, ...]:
    answer = response.answers.get(str(at), ())
    return (answer,) if isinstance(answer, str) else tuple(answer)


def _page_follows(prompt: PromptForm, now: ParsedPrompt) -> bool:
    """Whether a page of the same form follows: the review, or a further known question."""
    position = now.form.position
    if not now.form.questions or now.review or position is None:
        return False
    return len(prompt.questions) > 1 or position.index == position.total


def _review(now: ParsedPrompt) -> Steps | None:
    """Submit the review page that follows the last answer; one with gaps is left to the user."""
    return None if _UNANSWERED.search(now.form.description) else HANDS.decide()
