"""Unfold, read and fold the lists of a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clawtap_claude.keys.form import selected_index
from clawtap_claude.keys.profile import KEYS
from clawtap_claude.screen.form_fields import ParsedForm
from clawtap_claude.screen.prompt import parse_prompt
from clawtap_core import PromptForm, QuestionOption, Screen, Steps, hookimpl
from clawtap_core.keystrokes import press, send_one_key

_Lists = dict[str, tuple[str, ...]]


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Unfold each list of a form in turn, then return to the first field."""
    parsed = parse_prompt(screen)
    if not isinstance(parsed, ParsedForm):
        return None
    return send_one_key(
        parsed,
        progress,
        lambda lists: _next(prompt, parsed, lists or {}),
        first=KEYS.settled,
    )


def _next(prompt: PromptForm, parsed: ParsedForm, lists: _Lists) -> Steps:
    """Return the next key; `lists` holds the lists read so far by field name."""
    if unfolded := next((entry for entry in parsed.entries if entry.choices), None):
        labels = tuple(choice.label for choice in unfolded.choices)
        return press("Left", {**lists, unfolded.name: labels})
    at = next((i for i, e in enumerate(parsed.entries) if e.folded and e.name not in lists), None)
    here = selected_index(parsed)
    if at is not None:
        key = "Right" if parsed.entries[at].selected else "Down" if here < at else "Up"
        return press(key, lists)
    if here:
        return press("Up", lists)
    options = {name: tuple(map(QuestionOption, labels)) for name, labels in lists.items()}
    questions = tuple(
        replace(question, options=options[question.header], other=False, input_type=None)
        if question.header in options
        else question
        for question in prompt.questions
    )
    return Steps(done=True, form=replace(prompt, questions=questions, more_options=False))
