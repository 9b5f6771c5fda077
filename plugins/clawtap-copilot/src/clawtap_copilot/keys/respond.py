"""Answer a prompt, up to the tabs that follow it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_copilot.keys.profile import KEY_PROFILE
from clawtap_copilot.screen.form import BUTTONS
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_core import Effect, Kind, Option, PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    answer_question,
    answers_all,
    choose,
    empty,
    line,
    needs_other_row,
    open_question,
    page_by_page,
    press,
    write,
)
from clawtap_core.screens import ParsedPrompt, rows_of

# The columns around the text in the field of a list, and the rows of a dialog that are no option.
_MARGIN, _OTHER_ROWS = 24, 10


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the screen as it is now."""
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, screen, progress),
        follows=_has_next_tab,
        answers_all=answers_all(prompt, response),
        back="BTab",
    )
    return page_by_page(prompt, parse_prompt(screen), progress, pages)


def _has_next_tab(parsed: ParsedPrompt) -> bool:
    position = parsed.form.position
    return bool(parsed.form.questions and position and position.index < position.total)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, screen: Screen, progress: Any
) -> Steps | None:
    option = prompt.option(response.selected_option or "")
    if button := _button(prompt, response, option):
        return KEY_PROFILE.decide(button)
    if response.decision == "deny" or (option and option.effect is Effect.DENY):
        return _refuse(response, parsed, screen, progress)
    if prompt.questions:
        return (
            _leave(prompt, response, parsed)
            or _clear_field(prompt, response, parsed, progress)
            or answer_question(prompt, response, parsed, progress, KEY_PROFILE, _leave_empty_field)
        )
    if option:
        return choose(parsed, option.label, KEY_PROFILE)
    return write(parsed, response.text_value or "", progress, KEY_PROFILE)


def _button(prompt: PromptForm, response: Response, option: Option | None) -> str | None:
    """Return the key of what a form of a server takes besides its fields; a denial declines it."""
    if prompt.kind is not Kind.QUESTION:
        return None
    if option is None and response.decision == "deny":
        refusals = (each for each in prompt.options if each.effect is Effect.DENY)
        option = next(refusals, None)
    return BUTTONS[option.value] if option else None


def _leave(prompt: PromptForm, response: Response, parsed: ParsedPrompt) -> Steps | None:
    """Go on from a field of a server's form that got no answer; a text keeps its default."""
    at = open_question(prompt, parsed)
    if at is None or prompt.questions[at].required or response.labels(at):
        return None
    if prompt.questions[at].options:
        # Enter takes the row with the cursor.
        return KEY_PROFILE.decide("Tab") if _has_next_tab(parsed) else None
    return KEY_PROFILE.decide()


def _refuse(
    response: Response, parsed: ParsedPrompt, screen: Screen, progress: Any
) -> Steps | None:
    """Give the reason in the list's own field; without one Escape refuses, which ends the turn."""
    takes_reason = bool(response.reason) and parsed.form.takes_reason
    if takes_reason and _has_room(parsed, screen, response.reason or ""):
        return write(parsed, response.reason or "", progress, KEY_PROFILE)
    steps = KEY_PROFILE.decide("Escape") if parsed.escape_denies else None
    return replace(steps, reason_left=takes_reason) if steps else None


def _has_room(parsed: ParsedPrompt, screen: Screen, reason: str) -> bool:
    """Return True if the dialog stays in sight while the reason stands in its field."""
    rows = rows_of(line(reason), max(screen.cols - _MARGIN, 1))
    return rows + len(parsed.rows) + _OTHER_ROWS <= screen.rows


def _clear_field(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    """Empty a field before the cursor leaves it: in a long text Up goes to the row above."""
    if needs_other_row(prompt, response, parsed) and parsed.field and parsed.field.text:
        return empty(parsed.field.text, progress, KEY_PROFILE)
    return None


def _leave_empty_field(parsed: ParsedPrompt, own: str, progress: Any) -> Steps | None:
    """Go up from a field that stays empty: what Enter accepts depends on the cursor's row."""
    unused = parsed.field is not None and parsed.field.focused and not own
    return press("Up", progress) if unused else None
