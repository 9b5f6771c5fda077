"""The keys that answer a prompt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_codex.keys.profile import KEY_PROFILE
from clawtap_codex.screen.dialogs import StartupDialog
from clawtap_codex.screen.prompt import parse_prompt
from clawtap_codex.screen.questions import NONE_OF_THEM
from clawtap_core import PromptForm, Question, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    answers_all,
    choose,
    label_on_page,
    open_question,
    page_by_page,
    press,
    write,
    write_with_option,
)
from clawtap_core.screens import ParsedPrompt

_START_TRIES = 4
_WAKE_KEY_SENT = "awake"


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the current screen."""

    def has_next_page(parsed: ParsedPrompt) -> bool:
        # The answer to the last question sends all answers.
        position = parsed.form.position if len(prompt.questions) > 1 else None
        return position is not None and position.index < position.total

    parsed = parse_prompt(screen)
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, progress),
        follows=has_next_page,
        answers_all=answers_all(prompt, response),
        back="Left",
        again=_START_TRIES if isinstance(parsed, StartupDialog) else 0,
    )
    return page_by_page(prompt, parsed, progress, pages)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    if response.decision == "deny":
        return KEY_PROFILE.decide("Escape") if parsed.escape_denies else None
    if prompt.questions:
        at = open_question(prompt, parsed)
        if at is None:
            return None
        return _answer_question(prompt.questions[at], str(at), response, parsed, progress)
    option = prompt.option(response.selected_option or "")
    if option is None:
        return None
    if isinstance(parsed, StartupDialog) and progress is None:
        # 0.169 loses keys while it starts. A deciding key is never pressed twice, so a harmless
        # one must be seen to move the cursor first.
        return press("Down", _WAKE_KEY_SENT)
    return choose(parsed, option.label, KEY_PROFILE, progress)


def _answer_question(
    question: Question, at: str, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    answer = response.answers.get(at, "")
    answer = answer if isinstance(answer, str) else " ".join(answer)
    note = response.notes.get(at)
    offered = {option.label for option in question.options}
    if not question.options:
        return write(parsed, answer, progress, KEY_PROFILE)
    if answer not in offered:
        # A free answer is a note on the last option, followed by the user's own note.
        own = f"{answer}\n{response.notes[at]}" if at in response.notes else answer
        return _answer_with_note(parsed, NONE_OF_THEM, own, progress) if question.other else None
    answer = label_on_page(question, parsed, answer)
    if parsed.field and (text := note or response.reason):
        steps = _answer_with_note(parsed, answer, text, progress)
        return replace(steps, reason_given=not note) if steps else None
    # Open notes would take the digits, and Enter would send them along.
    return _close_notes(parsed) or choose(parsed, answer, KEY_PROFILE)


def _answer_with_note(parsed: ParsedPrompt, label: str, text: str, progress: Any) -> Steps | None:
    row = parsed.row(label)
    if parsed.field is None:
        return None
    # While the notes are closed, letters are commands.
    if not parsed.field.focused:
        return write_with_option(parsed, label, text, progress, KEY_PROFILE)
    elsewhere = row is not None and not row.selected
    return _close_notes(parsed) if elsewhere else write(parsed, text, progress, KEY_PROFILE)


def _close_notes(parsed: ParsedPrompt) -> Steps | None:
    """Close and clear notes opened in the terminal, or return None if they are closed.

    The first Tab enters notes that were left.
    """
    field = parsed.field
    return press("Tab") if field and (field.focused or field.text) else None
