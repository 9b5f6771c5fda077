"""Answering a prompt: which way each answer takes."""

from __future__ import annotations

from typing import Any

from clawtap_codex.asking import NONE_OF_THEM
from clawtap_codex.choosing import Moving, choose
from clawtap_codex.detecting import read
from clawtap_codex.reading import Reading
from clawtap_codex.writing import Writing, close, write
from clawtap_core import Press, PromptForm, Question, Response, Screen, Steps, hookimpl

_ESCAPE = Steps((Press("Escape", deciding=True),), done=True)


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an answer, for the screen as it is."""
    now = read(screen)
    if now is None:
        return Steps(progress=progress)
    if response.decision == "deny":
        return _ESCAPE if now.escapes else None
    if prompt.questions:
        return _answer(prompt.questions[0], response, now, progress)
    if option := prompt.option(response.selected_option or ""):
        return choose(now, option.label, progress or Moving())
    return None


def _answer(question: Question, response: Response, now: Reading, progress: Any) -> Steps | None:
    """An answer to the question that is open; its reason goes into the notes of the option."""
    given = response.answers.get("0", "")
    answer = given if isinstance(given, str) else " ".join(given)
    offered = {option.label for option in question.options}
    if not question.options:
        return write(now, None, answer, progress or Writing())
    if answer not in offered:
        return write(now, NONE_OF_THEM, answer, progress or Writing()) if question.other else None
    if response.reason and now.field:
        return write(now, answer, response.reason, progress or Writing())
    if now.field and now.field.focused:
        # Enter would send the notes of the desk with it, and digits would go into them.
        return close(progress or Writing())
    return choose(now, answer, progress if isinstance(progress, Moving) else Moving())
