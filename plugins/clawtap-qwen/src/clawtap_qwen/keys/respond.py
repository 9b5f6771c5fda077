"""Answer a prompt, and go on to the pages that follow a question."""

from __future__ import annotations

from typing import Any

from clawtap_core import PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    choose,
    open_question,
    page_by_page,
    press,
    select_many,
    write,
)
from clawtap_core.screens import ParsedPrompt
from clawtap_qwen.keys.profile import KEY_PROFILE
from clawtap_qwen.screen.prompt import parse_prompt
from clawtap_qwen.screen.questions import ReviewPrompt


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the screen as it is now."""
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, progress),
        follows=lambda parsed: _has_next_page(prompt, parsed),
        review=_submit_review,
    )
    return page_by_page(prompt, parse_prompt(screen), progress, pages)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    if response.decision == "deny":
        return KEY_PROFILE.decide("Escape")
    if isinstance(parsed, ReviewPrompt):
        labels = response.labels()
        return choose(parsed, labels[0], KEY_PROFILE) if labels else None
    if prompt.questions:
        return _answer_question(prompt, response, parsed, progress)
    option = prompt.option(response.selected_option or "")
    return choose(parsed, option.label, KEY_PROFILE) if option else None


def _answer_question(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    at = open_question(prompt, parsed)
    if at is None:
        return None
    question, labels = prompt.questions[at], response.labels(at)
    offered = {option.label for option in question.options}
    own = ", ".join(label for label in labels if label not in offered)
    if question.multi_select:
        field = parsed.field
        if field and field.focused and not field.text and not own:
            # Enter in the empty field sends nothing.
            return press("Up", progress)
        chosen = set(labels) & offered
        return select_many(parsed, chosen.__contains__, own, progress, KEY_PROFILE)
    if own:
        return write(parsed, own, progress, KEY_PROFILE)
    return choose(parsed, labels[0], KEY_PROFILE) if labels else None


def _has_next_page(prompt: PromptForm, parsed: ParsedPrompt) -> bool:
    # The review follows the last question; of other questions only those that are known.
    position = parsed.form.position
    if position is None or parsed.review:
        return False
    return len(prompt.questions) > 1 or position.index == position.total


def _submit_review(parsed: ParsedPrompt) -> Steps | None:
    # A review with gaps is left to the user.
    complete = isinstance(parsed, ReviewPrompt) and parsed.complete
    return choose(parsed, parsed.rows[0].label, KEY_PROFILE) if complete else None
