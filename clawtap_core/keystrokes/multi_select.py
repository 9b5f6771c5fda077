"""Tick several rows: toggle only those that differ, read all back, then send."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.keystrokes.selection import move_to, press
from clawtap_core.keystrokes.text_field import TextProgress, begins, empty, fill, holds, line
from clawtap_core.model import Pause, Steps
from clawtap_core.screens import OptionRow, ParsedPrompt

# How many looks, a moment apart, a tick may take to show: five seconds of a busy machine.
_PATIENCE, _MOMENT = 50, 0.1


@dataclass(frozen=True)
class SelectionProgress:
    """The numbers of the rows that were read back as right, and the progress of the text.

    `toggled`: the row whose key was pressed last and whose box does not show it yet; `text_box`:
    what the box of the text's row was set to last; `waited`: how many looks since. `complete`: all
    rows were read back, which a window that holds only Done does not show.
    """

    right: frozenset[int] = frozenset()
    writing: TextProgress = field(default_factory=TextProgress)
    toggled: str | None = None
    text_box: bool | None = None
    waited: int = 0
    complete: bool = False


def select_many(
    parsed: ParsedPrompt,
    is_chosen: Callable[[str], bool],
    text: str,
    progress: SelectionProgress | None,
    profile: KeyProfile,
) -> Steps | None:
    """Return the next key of an answer with several labels and optional free text.

    `is_chosen` returns True for labels to tick.
    """
    listed = [row for row in parsed.rows if row.label not in parsed.extra_labels]
    wrong = [row for row in listed if row.checked != is_chosen(row.label)]
    progress = _read_back(progress or SelectionProgress(), parsed.rows, wrong)
    if wrong:
        return _correct(parsed, wrong[0], progress, profile)
    if parsed.form.more_options and profile.scrolls:
        progress = replace(progress, complete=progress.complete or _complete(parsed, progress))
        if not progress.complete:
            return press(parsed.arrows[1], progress)
    if text and (profile.field_sends or not _holds(parsed, text, progress)):
        steps = fill(parsed, text, progress.writing, profile)
        if steps is None or not steps.done:
            return steps and replace(steps, progress=replace(progress, writing=steps.progress))
        if profile.field_sends:
            return profile.decide()
    text_row = parsed.field.row if parsed.field else None
    if text and text_row and profile.reticks and not (progress.text_box and text_row.checked):
        return _tick_again(parsed, text_row, profile.reticks, progress)
    return _finish(parsed, text, progress, profile)


def _read_back(
    progress: SelectionProgress, rows: Sequence[OptionRow], wrong: Sequence[OptionRow]
) -> SelectionProgress:
    numbers = {row.number for row in rows if row.number}
    right = (progress.right | numbers) - {row.number for row in wrong if row.number}
    waits = any(row.label == progress.toggled for row in wrong)
    return replace(progress, right=right, toggled=progress.toggled if waits else None)


def _correct(
    parsed: ParsedPrompt, row: OptionRow, progress: SelectionProgress, profile: KeyProfile
) -> Steps | None:
    """Toggle a row once, then wait: the cursor may show there before its box changes."""
    if row.label != progress.toggled:
        return _toggle(parsed, row, progress, profile)
    return _wait(progress)


def _wait(progress: SelectionProgress) -> Steps | None:
    if progress.waited >= _PATIENCE:
        return None
    return Steps((Pause(_MOMENT),), progress=replace(progress, waited=progress.waited + 1))


def _toggle(
    parsed: ParsedPrompt, row: OptionRow, progress: SelectionProgress, profile: KeyProfile
) -> Steps:
    """Toggle a row by its own key or with the cursor on it; a text field would take the key."""
    focused = parsed.field is not None and parsed.field.focused
    # With the cursor on a row without a box, such as Submit, a CLI may take no digit.
    off_boxes = any(each.selected and each.checked is None for each in parsed.drawn)
    toggled = replace(progress, toggled=row.label, waited=0)
    key = parsed.key(row.label)
    if key and not (off_boxes or focused):
        return press(key, toggled)
    return (
        press(profile.ticks, toggled)
        if row.selected and not focused
        else move_to(parsed, row, progress)
    )


def _complete(parsed: ParsedPrompt, progress: SelectionProgress) -> bool:
    """Return True if every row before the field or Done was read back."""
    last = parsed.field.row if parsed.field else None
    if last and last.number:
        return progress.right >= set(range(1, last.number))
    if not parsed.next_row or not parsed.rows:
        return False
    return progress.right >= set(range(1, (parsed.rows[-1].number or 0) + 1))


def _holds(parsed: ParsedPrompt, text: str, progress: SelectionProgress) -> bool:
    field, text = parsed.field, line(text)
    if field is None:
        return False
    shown = field.text or ""
    if not field.focused and progress.writing.typed and begins(shown, text):
        return True
    return holds(shown, text, progress.writing)


def _tick_again(
    parsed: ParsedPrompt, row: OptionRow, key: str, progress: SelectionProgress
) -> Steps | None:
    """Untick the text's row, if it is ticked, and tick it: only then the CLI reads the text."""
    ticked = bool(row.checked)
    if progress.text_box not in (None, ticked):
        return _wait(progress)
    if not parsed.in_field_row:
        return move_to(parsed, row, progress)
    return press(key, replace(progress, text_box=not ticked, waited=0))


def _finish(
    parsed: ParsedPrompt, text: str, progress: SelectionProgress, profile: KeyProfile
) -> Steps | None:
    """Go to the row that continues, first removing a text that is not ours."""
    place = parsed.field
    if not text and place and place.row and place.text:
        if place.focused:
            return empty(place.text, progress, profile)
        return move_to(parsed, place.row, progress)
    if parsed.next_row and parsed.next_row.selected:
        return profile.decide()
    if parsed.next_row:
        return move_to(parsed, parsed.next_row, progress)
    if profile.next_page:
        return profile.decide(profile.next_page)
    return press(parsed.arrows[1], progress) if profile.scrolls else None
