"""Reading a list that scrolls: once around with the cursor, back to where it stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import PromptForm, Question, QuestionOption, Screen, Steps, hookimpl
from clawtap_core.reading import OptionRow
from clawtap_gemini.asking import plan_options
from clawtap_gemini.choosing import Moving, move
from clawtap_gemini.detecting import read


@dataclass(frozen=True, slots=True)
class _Round:
    """Where the cursor started, the rows read so far, and how it was moved."""

    start: int | None
    rows: Mapping[int, OptionRow]
    moving: Moving


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Move down, which wraps at the end, until the cursor is back."""
    now = read(screen)
    if now is None or not (prompt.questions or prompt.options):
        return None
    so_far: _Round = progress or _Round(now.cursor, {}, Moving())
    rows = {**so_far.rows, **{row.number: row for row in now.rows if row.number}}
    moved = so_far.moving.moves and now.cursor != so_far.moving.start
    if moved and now.cursor == so_far.start:
        return Steps(done=True, form=_whole(prompt, [rows[number] for number in sorted(rows)]))
    steps = move("Down", now, so_far.moving) if rows else None
    return replace(steps, progress=_Round(so_far.start, rows, steps.progress)) if steps else None


def _whole(prompt: PromptForm, rows: Sequence[OptionRow]) -> PromptForm:
    if not prompt.questions:
        return _with_options(prompt, rows)
    question: Question = prompt.questions[0]
    offered = tuple(QuestionOption(row.label, row.description or None) for row in rows)
    asked = (replace(question, options=offered), *prompt.questions[1:])
    return replace(prompt, questions=asked, more_options=False)


def _with_options(prompt: PromptForm, rows: Sequence[OptionRow]) -> PromptForm:
    return replace(prompt, options=plan_options(rows), more_options=False)
