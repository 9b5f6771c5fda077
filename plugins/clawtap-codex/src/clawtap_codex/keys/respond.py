"""Answering a prompt: which way each answer takes."""

from __future__ import annotations

from typing import Any

from clawtap_codex.keys.profile import HANDS
from clawtap_codex.screen.prompt import read
from clawtap_codex.screen.questions import NONE_OF_THEM
from clawtap_codex.screen.startup import StartReading
from clawtap_core import PromptForm, Question, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    choose,
    open_question,
    page_by_page,
    press,
    write,
    write_beside,
)
from clawtap_core.screens import ParsedPrompt

_WAKES = 4
_AWAKE = "awake"


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an answer, for the screen as it is."""
    now = read(screen)
    pages = Pages(
        keys=lambda now, done: _steps(prompt, response, now, done),
        follows=lambda now: _page_follows(prompt, now),
        again=_WAKES if isinstance(now, StartReading) else 0,
    )
    return page_by_page(prompt, now, progress, pages)


def _steps(prompt: PromptForm, response: Response, now: ParsedPrompt, done: Any) -> Steps | None:
    if response.decision == "deny":
        return HANDS.decide("Escape") if now.escapes else None
    if prompt.questions:
        at = open_question(prompt, now)
        return None if at is None else _answer(prompt.questions[at], str(at), response, now, done)
    option = prompt.option(response.selected_option or "")
    if option is None:
        return None
    if isinstance(now, StartReading) and done is None:
        # The cursor is seen to move before a key is pressed that decides, which is never
        # pressed twice: 0.169 loses keys while it starts.
        return press("Down", _AWAKE)
    return choose(now, option.label, HANDS, done)


def _page_follows(prompt: PromptForm, now: ParsedPrompt) -> bool:
    """Whether a further question that is known follows; the last one sends all answers."""
    position = now.form.position
    return len(prompt.questions) > 1 and position is not None and position.index < position.total


def _answer(
    question: Question, at: str, response: Response, now: ParsedPrompt, done: Any
) -> Steps | None:
    """An answer to the question that is open; its note, or a reason, goes along with the option.

    An answer of one's own is a note itself: there, both are one.
    """
    given = response.answers.get(at, "")
    answer = given if isinstance(given, str) else " ".join(given)
    note = response.notes.get(at) or response.reason
    offered = {option.label for option in question.options}
    if not question.options:
        return write(now, answer, done, HANDS)
    if answer not in offered:
        own = f"{answer}\n{response.notes[at]}" if at in response.notes else answer
        return _note(now, NONE_OF_THEM, own, done) if question.other else None
    if note and now.field:
        return _note(now, answer, note, done)
    # Enter would send the notes of the desk with it, and digits would go into them.
    return _close(now) or choose(now, answer, HANDS)


def _note(now: ParsedPrompt, label: str, text: str, done: Any) -> Steps | None:
    """A text into the notes of a row. Letters are commands while they are closed."""
    row = now.row(label)
    if now.field is None:
        return None
    if not now.field.focused:
        return write_beside(now, label, text, done, HANDS)
    elsewhere = row is not None and not row.selected
    return _close(now) if elsewhere else write(now, text, done, HANDS)


def _close(now: ParsedPrompt) -> Steps | None:
    """Close the notes that the desk opened, which clears them; None where they are closed."""
    return press("Tab") if now.field and now.field.focused else None
