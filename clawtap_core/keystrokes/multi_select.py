"""Ticking several rows: only those that differ are toggled, all are read back, then it is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.keystrokes.selection import move_to, press
from clawtap_core.keystrokes.text_field import Writing, empty, fill, holds, line
from clawtap_core.model import Pause, Steps
from clawtap_core.screens import OptionRow, ParsedPrompt

_PATIENCE, _MOMENT = 50, 0.1


@dataclass(frozen=True)
class Ticking:
    """The numbers of the rows that were read back as wanted, and how the text is getting on.

    `toggled`: the row whose key was pressed last and whose box does not show it yet; `waited`:
    how often it was looked at since.
    """

    right: frozenset[int] = frozenset()
    writing: Writing = field(default_factory=Writing)
    toggled: str | None = None
    waited: int = 0


def select_many(
    now: ParsedPrompt,
    wanted: Callable[[str], bool],
    text: str,
    done: Ticking | None,
    hands: KeyProfile,
) -> Steps | None:
    """The next key of an answer with several labels, and free text beside them.

    `wanted` says of a label whether it is to be ticked.
    """
    listed = [row for row in now.rows if row.label not in now.aside]
    wrong = [row for row in listed if row.checked != wanted(row.label)]
    done = _read_back(done or Ticking(), now.rows, wrong)
    if wrong:
        return _correct(now, wrong[0], done, hands)
    if now.form.more_options and hands.scrolls and not _complete(now, done):
        return press("Down", done)
    if text and (hands.field_sends or not _holds(now, text)):
        steps = fill(now, text, done.writing, hands)
        if steps is None or not steps.done:
            return steps and replace(steps, progress=replace(done, writing=steps.progress))
        if hands.field_sends:
            return hands.decide()
    return _finish(now, text, done, hands)


def _read_back(done: Ticking, rows: Sequence[OptionRow], wrong: Sequence[OptionRow]) -> Ticking:
    numbers = {row.number for row in rows if row.number}
    right = (done.right | numbers) - {row.number for row in wrong if row.number}
    waits = any(row.label == done.toggled for row in wrong)
    return replace(done, right=right, toggled=done.toggled if waits else None)


def _correct(now: ParsedPrompt, row: OptionRow, done: Ticking, hands: KeyProfile) -> Steps | None:
    """Toggle a row once. The cursor may show there before its box does, which is waited for."""
    if row.label != done.toggled:
        return _toggle(now, row, done, hands)
    if done.waited >= _PATIENCE:
        return None
    return Steps((Pause(_MOMENT),), progress=replace(done, waited=done.waited + 1))


def _toggle(now: ParsedPrompt, row: OptionRow, done: Ticking, hands: KeyProfile) -> Steps:
    """Toggle a row by its own key, or with the cursor on it; a field would take the key."""
    focused = now.field is not None and now.field.focused
    toggled = replace(done, toggled=row.label, waited=0)
    key = now.key(row.label)
    if key and not focused:
        return press(key, toggled)
    return press(hands.ticks, toggled) if row.selected and not focused else move_to(now, row, done)


def _complete(now: ParsedPrompt, done: Ticking) -> bool:
    """Whether every row of a list that scrolls was read back: those before the field or Done."""
    last = now.field.row if now.field else None
    if last and last.number:
        return done.right >= set(range(1, last.number))
    if not now.steer or not now.rows:
        return False
    return done.right >= set(range(1, (now.rows[-1].number or 0) + 1))


def _holds(now: ParsedPrompt, text: str) -> bool:
    return now.field is not None and holds(now.field.text or "", line(text))


def _finish(now: ParsedPrompt, text: str, done: Ticking, hands: KeyProfile) -> Steps | None:
    """The row that goes on; a text that is not ours would be sent too, so it is taken out."""
    place = now.field
    if not text and place and place.row and place.text:
        if place.focused:
            return empty(place.text, done, hands)
        return move_to(now, place.row, done)
    if now.steer and now.steer.selected:
        return hands.decide()
    if now.steer:
        return move_to(now, now.steer, done)
    return press("Down", done) if hands.scrolls else None
