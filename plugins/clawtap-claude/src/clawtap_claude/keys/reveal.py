"""Reading a form's folded list: unfolded, read, and folded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clawtap_claude.keys.profile import HANDS
from clawtap_claude.screen.parsed_form import FormReading
from clawtap_claude.screen.prompt import read
from clawtap_core import PromptForm, Question, QuestionOption, Screen, Steps, hookimpl
from clawtap_core.keystrokes import press, send_one_key

_Lists = dict[str, tuple[str, ...]]


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Unfold each list of a form in turn; then the cursor goes back to the first field."""
    now = read(screen)
    if not isinstance(now, FormReading):
        return None
    return send_one_key(
        now, progress, lambda lists: _next(prompt, now, lists or {}), first=HANDS.settled
    )


def _next(prompt: PromptForm, now: FormReading, lists: _Lists) -> Steps:
    """The next key, with the lists read so far by the names of their fields."""
    if unfolded := next((entry for entry in now.entries if entry.choices), None):
        labels = tuple(choice.label for choice in unfolded.choices)
        return press("Left", {**lists, unfolded.name: labels})
    at = next((i for i, e in enumerate(now.entries) if e.folded and e.name not in lists), None)
    here = _here(now)
    if at is not None:
        key = "Right" if now.entries[at].selected else "Down" if here < at else "Up"
        return press(key, lists)
    return press("Up", lists) if here else Steps(done=True, form=_whole(prompt, lists))


def _here(now: FormReading) -> int:
    return next((at for at, e in enumerate(now.entries) if e.selected), len(now.entries))


def _whole(prompt: PromptForm, lists: _Lists) -> PromptForm:
    questions = tuple(_with(question, lists) for question in prompt.questions)
    return replace(prompt, questions=questions, more_options=False)


def _with(question: Question, lists: _Lists) -> Question:
    if question.header not in lists:
        return question
    offered = tuple(QuestionOption(label) for label in lists[question.header])
    return replace(question, options=offered, other=False, input_type=None)
