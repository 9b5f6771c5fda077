"""Answer a prompt, up to the review page after its questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_core import Pause, Press, PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    SelectionProgress,
    answer_question,
    answers_all,
    choose,
    has_next_page,
    holds,
    open_question,
    page_by_page,
    press,
)
from clawtap_core.screens import ParsedPrompt, cells
from clawtap_qwen.keys.profile import KEY_PROFILE
from clawtap_qwen.screen.prompt import parse_prompt
from clawtap_qwen.screen.questions import ReviewPrompt

_MOMENT, _BETWEEN = 0.1, 0.2
# How many rows a dialog needs around its list, and how many columns around its words.
_ROWS_AROUND, _COLUMNS_AROUND = 9, 12


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the screen as it is now."""
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, progress, screen),
        follows=lambda parsed: has_next_page(prompt, parsed),
        review=lambda parsed: _submit_review(prompt, parsed),
        answers_all=answers_all(prompt, response),
        back="Left",
        unseen=_send,
        first=KEY_PROFILE.settled,
    )
    return page_by_page(prompt, parse_prompt(screen), progress, pages)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any, screen: Screen
) -> Steps | None:
    if response.decision == "deny":
        return KEY_PROFILE.decide("Escape")
    if isinstance(parsed, ReviewPrompt):
        labels = response.labels()
        return choose(parsed, labels[0], KEY_PROFILE) if labels else None
    if prompt.questions:
        parsed = _with_hidden_rows(prompt, parsed)

        def before_ticks(parsed: ParsedPrompt, own: str, progress: Any) -> Steps | None:
            return _refuse_long(parsed, own, screen) or _leave_field(parsed, own, progress)

        steps = answer_question(prompt, response, parsed, progress, KEY_PROFILE, before_ticks)
        return _into_view(steps, parsed)
    option = prompt.option(response.selected_option or "")
    return choose(parsed, option.label, KEY_PROFILE) if option else None


def _with_hidden_rows(prompt: PromptForm, parsed: ParsedPrompt) -> ParsedPrompt:
    """Add the digits of answers above the pane: they choose there, too."""
    at = open_question(prompt, parsed)
    if at is None or not parsed.form.more_options or not parsed.rows:
        return parsed
    hidden = prompt.questions[at].options[: (parsed.rows[0].number or 1) - 1]
    keys = ((option.label, str(number)) for number, option in enumerate(hidden, 1))
    return replace(parsed, keys=(*keys, *parsed.keys))


def _into_view(steps: Steps | None, parsed: ParsedPrompt) -> Steps | None:
    """Move a cursor that is above the pane to the text field: the list ends at its last row.

    It is not seen to move before it is in view, and of arrows that come at once the CLI takes one.
    """
    hidden = (parsed.rows[0].number or 1) - 1 if parsed.rows and parsed.cursor is None else 0
    if steps and hidden and steps.steps == (Press("Down"),):
        return replace(steps, steps=(*steps.steps, Pause(_BETWEEN)) * (hidden + len(parsed.drawn)))
    return steps


def _refuse_long(parsed: ParsedPrompt, own: str, screen: Screen) -> Steps | None:
    """Refuse words that would push the question out of the pane.

    The field shows all of them as soon as the cursor has left it.
    """
    row = parsed.field.row if parsed.field else None
    rows = cells(own) // max(1, screen.cols - _COLUMNS_AROUND) + 1
    fits = rows <= 2 or not row or row.first + rows + _ROWS_AROUND <= screen.rows
    if fits:
        return None
    return Steps(refused="among several answers, words of so many rows do not fit its pane")


def _leave_field(parsed: ParsedPrompt, own: str, progress: Any) -> Steps | None:
    """Go up from the text field once it is as it should be, to a row that sends the page."""
    field = parsed.field
    writing = progress.writing if isinstance(progress, SelectionProgress) else None
    if not (field and field.focused and holds(field.text or "", own, writing)):
        return None
    if own and field.row and not field.row.checked:
        # The text is painted a moment before its tick.
        return Steps((Pause(_MOMENT),), progress=progress)
    return press("Up", progress)


def _submit_review(prompt: PromptForm, parsed: ParsedPrompt) -> Steps | None:
    if not isinstance(parsed, ReviewPrompt):
        return None
    if parsed.answers(prompt.questions):
        return _send(parsed)
    if parsed.complete:
        # The rest of the answers is not painted yet, or out of sight.
        return Steps()
    # 0.24 skips the next tab after words of one's own. Another gap is left to the user.
    return press("Left") if len(prompt.questions) > 1 else None


def _send(parsed: ParsedPrompt) -> Steps | None:
    return choose(parsed, parsed.rows[0].label, KEY_PROFILE)
