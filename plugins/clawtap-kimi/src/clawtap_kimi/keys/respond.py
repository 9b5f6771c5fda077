"""Answer a prompt, up to the tab that submits the answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_core import Effect, PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    SelectionProgress,
    answer_question,
    answers_all,
    choose,
    holds,
    page_by_page,
    press,
    write,
)
from clawtap_core.screens import ParsedPrompt
from clawtap_kimi.keys.profile import KEY_PROFILE
from clawtap_kimi.screen.prompt import parse_prompt
from clawtap_kimi.screen.questions import ReviewPrompt

_OWN_ROW = "own words"


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the screen as it is now."""
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, progress),
        # The last tab follows a single question, too.
        follows=lambda parsed: bool(parsed.form.questions) and not parsed.review,
        review=lambda parsed: _submit(prompt, parsed),
        answers_all=answers_all(prompt, response),
        back="Left",
    )
    return page_by_page(prompt, parse_prompt(screen), progress, pages)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    if response.decision == "deny" and prompt.questions:
        return KEY_PROFILE.decide("Escape")
    option = prompt.option(response.selected_option or "")
    if response.decision == "deny" or (option and option.effect is Effect.DENY):
        return _refuse(option.label if option else "", response, parsed, progress)
    if isinstance(parsed, ReviewPrompt):
        labels = response.labels()
        return choose(parsed, labels[0], KEY_PROFILE) if labels else None
    if prompt.questions:
        if _stays_ticked(parsed, progress):
            return None
        return answer_question(prompt, response, parsed, progress, KEY_PROFILE, _save_own)
    if option:
        return choose(parsed, option.label, KEY_PROFILE)
    return write(parsed, response.text_value or "", progress, KEY_PROFILE)


def _refuse(label: str, response: Response, parsed: ParsedPrompt, progress: Any) -> Steps | None:
    """Give the reason in the list's own field, where there is one."""
    if response.reason and parsed.form.takes_reason:
        return write(parsed, response.reason, progress, KEY_PROFILE)
    return choose(parsed, label, KEY_PROFILE) if label else KEY_PROFILE.decide("Escape")


def _save_own(parsed: ParsedPrompt, own: str, progress: Any) -> Steps | None:
    """Save words of one's own with Enter, which ticks their row, or untick them."""
    field = parsed.field
    if field is None or field.row is None:
        return None
    if field.focused and own and holds(field.text or "", own):
        return press("Enter", progress)
    if not field.focused and not own and field.row.checked and field.key:
        return press(field.key, replace(progress or SelectionProgress(), toggled=_OWN_ROW))
    return None


def _stays_ticked(parsed: ParsedPrompt, progress: Any) -> bool:
    """Return True if the key of the ticked row opened it: 0.30 takes no saved words back."""
    field = parsed.field
    unticks = isinstance(progress, SelectionProgress) and progress.toggled == _OWN_ROW
    return unticks and bool(field and field.focused and field.row and field.row.checked)


def _submit(prompt: PromptForm, parsed: ParsedPrompt) -> Steps | None:
    """Submit complete answers; a gap, or one that may be out of sight, is left to the user."""
    if not isinstance(parsed, ReviewPrompt):
        return None
    whole = prompt.position is None and parsed.answers_shown == len(prompt.questions)
    return choose(parsed, parsed.rows[0].label, KEY_PROFILE) if parsed.complete or whole else None
