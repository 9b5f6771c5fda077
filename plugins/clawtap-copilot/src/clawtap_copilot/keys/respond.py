"""Answer a prompt, up to the tabs that follow it."""

from __future__ import annotations

from typing import Any

from clawtap_copilot.keys.profile import KEY_PROFILE
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_core import Effect, PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    answer_to_page,
    choose,
    page_by_page,
    press,
    select_many,
    write,
)
from clawtap_core.screens import ParsedPrompt


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the screen as it is now."""
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, progress),
        follows=_has_next_tab,
    )
    return page_by_page(prompt, parse_prompt(screen), progress, pages)


def _has_next_tab(parsed: ParsedPrompt) -> bool:
    position = parsed.form.position
    return bool(parsed.form.questions and position and position.index < position.total)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    option = prompt.option(response.selected_option or "")
    if response.decision == "deny" or (option and option.effect is Effect.DENY):
        return _refuse(response, parsed, progress)
    if prompt.questions:
        return _answer_question(prompt, response, parsed, progress)
    if option:
        return choose(parsed, option.label, KEY_PROFILE)
    return write(parsed, response.text_value or "", progress, KEY_PROFILE)


def _refuse(response: Response, parsed: ParsedPrompt, progress: Any) -> Steps | None:
    """Give the reason in the list's own field; without one Escape refuses, which ends the turn."""
    if response.reason and parsed.form.takes_reason:
        return write(parsed, response.reason, progress, KEY_PROFILE)
    return KEY_PROFILE.decide("Escape") if parsed.escape_denies else None


def _answer_question(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    answer = answer_to_page(prompt, response, parsed)
    if answer is None:
        return None
    if answer.question.multi_select:
        return _tick(parsed, answer.chosen, answer.own, progress)
    if answer.own or not answer.question.options:
        return write(parsed, answer.own, progress, KEY_PROFILE)
    return choose(parsed, answer.labels[0], KEY_PROFILE) if answer.labels else None


def _tick(parsed: ParsedPrompt, chosen: frozenset[str], own: str, progress: Any) -> Steps | None:
    """Tick the rows and write the own answer; what is accepted depends on the cursor's row."""
    if not own and parsed.field and parsed.field.focused:
        return press("Up", progress)
    return select_many(parsed, chosen.__contains__, own, progress, KEY_PROFILE)
