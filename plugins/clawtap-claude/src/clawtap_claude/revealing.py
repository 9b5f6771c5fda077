"""Reading a form's folded list: unfolded, read, and folded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.detecting import read
from clawtap_claude.reading import Reading
from clawtap_claude.seeing import Pressed, remembered, shows, wait
from clawtap_core import Press, PromptForm, Question, QuestionOption, Screen, Steps, hookimpl

_KEYS = 30


@dataclass(frozen=True, slots=True)
class _Round:
    """The lists read so far, by the names of their fields, and how many keys were pressed."""

    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keys: int = 0


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Unfold each list of a form in turn; then the cursor goes back to the first field."""
    now = read(screen)
    if now is None or not now.entries:
        return None
    first = progress is None
    if isinstance(progress, Pressed):
        if not shows(now, progress):
            return wait(progress)
        progress = progress.then
    return remembered(now, _next(prompt, now, progress or _Round()), first=first)


def _next(prompt: PromptForm, now: Reading, so_far: _Round) -> Steps | None:
    if so_far.keys >= _KEYS:
        return None
    known = dict(so_far.lists)
    if unfolded := next((entry for entry in now.entries if entry.choices), None):
        labels = tuple(choice.label for choice in unfolded.choices)
        lists = tuple({**known, unfolded.name: labels}.items())
        return _press("Left", replace(so_far, lists=lists))
    at = next((i for i, e in enumerate(now.entries) if e.folded and e.name not in known), None)
    here = _here(now)
    if at is not None:
        key = "Right" if now.entries[at].selected else "Down" if here < at else "Up"
        return _press(key, so_far)
    return _press("Up", so_far) if here else Steps(done=True, form=_whole(prompt, known))


def _here(now: Reading) -> int:
    return next((at for at, e in enumerate(now.entries) if e.selected), len(now.entries))


def _press(key: str, so_far: _Round) -> Steps:
    return Steps((Press(key),), progress=replace(so_far, keys=so_far.keys + 1))


def _whole(prompt: PromptForm, lists: dict[str, tuple[str, ...]]) -> PromptForm:
    questions = tuple(_with(question, lists) for question in prompt.questions)
    return replace(prompt, questions=questions, more_options=False)


def _with(question: Question, lists: dict[str, tuple[str, ...]]) -> Question:
    if question.header not in lists:
        return question
    offered = tuple(QuestionOption(label) for label in lists[question.header])
    return replace(question, options=offered, other=False, input_type=None)
