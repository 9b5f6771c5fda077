"""Reading a list that scrolls: to the top, to the end, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from clawtap_core import PromptForm, Screen, Steps, hookimpl
from clawtap_demo.keys.moves import find_row, move_to
from clawtap_demo.screen.prompt import read_rows

T = TypeVar("T")


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Move up to the top, down to the end, and back to the row where the cursor was."""
    rows = read_rows(screen)
    if rows is None or rows.selected is None:
        return None
    # The direction, the label to come back to, and how many forms were seen above the top.
    way, home, first = progress or ("up", rows.rows[rows.selected].label, 0)
    if way == "up" and rows.above:
        return Steps(move_to(rows, 0), (way, home, first))
    if way == "up":
        way, first = "down", max(0, len(seen) - 1)
    if way == "down" and rows.below:
        return Steps(move_to(rows, len(rows.rows) - 1), (way, home, first))
    target = find_row(rows, lambda row: row.label == home)
    if target is None:
        return Steps(move_to(rows, 0), ("home", home, first)) if rows.above else None
    if target != rows.selected:
        return Steps(move_to(rows, target), ("home", home, first))
    return Steps(done=True, form=_with_all_options(prompt, seen[first:]))


def _with_all_options(prompt: PromptForm, seen: Sequence[PromptForm]) -> PromptForm:
    if not prompt.questions:
        options = _join([form.options for form in seen])
        return replace(prompt, options=options, more_options=False)
    question = prompt.questions[0]
    offered = _join([form.questions[0].options for form in seen if form.questions])
    other = any(form.questions[0].other for form in seen if form.questions)
    whole = replace(question, options=offered, other=other)
    return replace(prompt, questions=(whole,), more_options=False)


def _join(windows: Sequence[tuple[T, ...]]) -> tuple[T, ...]:
    # Each window on the list overlaps the one before.
    whole: tuple[T, ...] = ()
    for window in windows:
        for at in range(len(whole) + 1):
            tail = whole[at:]
            if tail[: len(window)] == window[: len(tail)]:
                whole += window[len(tail) :]
                break
    return whole
