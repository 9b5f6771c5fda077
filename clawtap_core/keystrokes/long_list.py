"""Read a partly visible list: once around it, back to where the cursor stood.

For lists that wrap around after their last row.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.keystrokes.selection import press
from clawtap_core.keystrokes.single_key import send_one_key
from clawtap_core.model import Effect, Option, Pause, PromptForm, QuestionOption, Steps
from clawtap_core.screens import OptionRow, ParsedPrompt, slugs

# How often, a moment apart, to look for the cursor after a key, since half a frame may lack it.
_LOOKS, _MOMENT = 20, 0.1


@dataclass(frozen=True)
class _Round:
    """Where the cursor started, and what was seen so far; `left`: the cursor was elsewhere.

    `other`: one of the views takes free text.
    """

    start: Hashable
    rows: tuple[OptionRow, ...] = ()
    options: tuple[Option, ...] = ()
    other: bool = False
    moved: bool = False
    left: bool = False
    waited: int = 0


def read_whole_list(
    prompt: PromptForm, parsed: ParsedPrompt, progress: Any, *, again: int = 0
) -> Steps | None:
    """Move down a row at a time until the cursor is back, then return the whole form.

    None means that there is nothing to go through.
    """
    # A window of one row may hold nothing but the text field, or the row to the next page.
    if parsed.cursor is None or not (parsed.next_row or any(row.number for row in parsed.drawn)):
        return None
    return send_one_key(
        parsed, progress, lambda progress: _next_steps(prompt, parsed, progress), again=again
    )


def _next_steps(prompt: PromptForm, parsed: ParsedPrompt, progress: _Round | None) -> Steps:
    progress = progress or _Round(parsed.cursor)
    labels = {option.label for option in progress.options}
    new = tuple(option for option in parsed.form.options if option.label not in labels)
    progress = replace(
        progress,
        rows=_merge_rows(progress.rows, parsed.rows),
        options=progress.options + new,
        other=progress.other or any(question.other for question in parsed.form.questions),
    )
    if parsed.cursor != progress.start:
        progress = replace(progress, left=True)
    elif progress.left:
        return Steps(done=True, form=_whole(prompt, progress))
    elif progress.moved and progress.waited < _LOOKS:
        # Half a frame: its rows have moved, the cursor has not.
        waits = replace(progress, waited=progress.waited + 1)
        return Steps((Pause(_MOMENT),), progress=waits)
    elif progress.moved:
        return Steps(done=True, form=_whole(prompt, progress))
    return press(parsed.arrows[1], replace(progress, moved=True))


def _merge_rows(rows: Iterable[OptionRow], more: Iterable[OptionRow]) -> tuple[OptionRow, ...]:
    """Merge rows by number; of two views the longer wins, since a window may cut a row."""
    longest: dict[int, OptionRow] = {}
    for row in (*rows, *more):
        if row.number and _length(row) > _length(longest.get(row.number)):
            longest[row.number] = row
    return tuple(longest[number] for number in sorted(longest))


def _length(row: OptionRow | None) -> int:
    return len(row.label) + len(row.description) if row else -1


def _whole(prompt: PromptForm, progress: _Round) -> PromptForm:
    if prompt.questions:
        offered = tuple(QuestionOption(row.label, row.description or None) for row in progress.rows)
        first, *others = prompt.questions
        first = replace(first, options=offered, other=first.other or progress.other)
        return replace(prompt, questions=(first, *others), more_options=False)
    return replace(prompt, options=_options(progress.rows, progress.options), more_options=False)


def _options(rows: Sequence[OptionRow], seen: Iterable[Option]) -> tuple[Option, ...]:
    """Return the rows as options, with what their own screens showed of them."""
    means = {option.label: option for option in seen}
    names = slugs(row.label for row in rows)
    return tuple(
        replace(means.get(row.label, Option(name, row.label, Effect.OTHER)), value=name)
        for name, row in zip(names, rows, strict=True)
    )
