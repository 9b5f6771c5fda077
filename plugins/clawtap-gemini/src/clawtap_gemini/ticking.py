"""Ticking several rows: only those that differ are toggled, all are read back, then Done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from clawtap_core import Press, Steps
from clawtap_core.reading import OptionRow
from clawtap_gemini.choosing import LAST_DIGIT, Moving, move, towards
from clawtap_gemini.fields import ALL
from clawtap_gemini.reading import Reading
from clawtap_gemini.writing import Writing, clearing, write

_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class Ticking:
    """The numbers of the rows read back as wanted, and how the rest is getting on.

    `toggled`: the row whose box was toggled last, and the rounds waited for that to show.
    """

    right: frozenset[int] = frozenset()
    toggled: tuple[int, int] | None = None
    moving: Moving = field(default_factory=Moving)
    writing: Writing = field(default_factory=Writing)


def tick(now: Reading, labels: Collection[str], text: str, done: Ticking) -> Steps | None:
    """The next key of an answer with several labels, and free text beside them."""
    wrong = [row for row in now.rows if row.label != ALL and row.checked != _wanted(row, labels)]
    numbers = {row.number for row in now.rows if row.number}
    done = replace(done, right=(done.right | numbers) - {row.number for row in wrong if row.number})
    if wrong:
        return _toggle(now, wrong[0], done)
    done = replace(done, toggled=None)
    if not _complete(now, done):
        return _move("Down", now, done)
    return _write(now, text, done) if text else _finish(now, done)


def _move(key: str, now: Reading, done: Ticking) -> Steps | None:
    steps = move(key, now, done.moving)
    return replace(steps, progress=replace(done, moving=steps.progress)) if steps else None


def _wanted(row: OptionRow, labels: Collection[str]) -> bool:
    return row.label in labels or ALL in labels


def _toggle(now: Reading, row: OptionRow, done: Ticking) -> Steps | None:
    """Toggle a row, by its digit or with the cursor on it; never twice before it was seen."""
    number = row.number or 0
    if done.toggled and done.toggled[0] == number and done.toggled[1] < _PATIENCE:
        return Steps(progress=replace(done, toggled=(number, done.toggled[1] + 1)))
    if now.field and now.field.focused:
        return _move("Up", now, done)
    if number > LAST_DIGIT and not row.selected:
        return _move(towards(now, row), now, done)
    key = "Enter" if number > LAST_DIGIT else str(number)
    return Steps((Press(key),), progress=replace(done, toggled=(number, 0), moving=Moving()))


def _complete(now: Reading, done: Ticking) -> bool:
    """Whether every row of the list was read back: those before the field or Done."""
    last = now.field.row if now.field else None
    if last and last.number:
        end = last.number - 1
    elif now.steer and now.rows:
        end = now.rows[-1].number or 0
    else:
        return False
    return done.right >= set(range(1, end + 1))


def _write(now: Reading, text: str, done: Ticking) -> Steps | None:
    steps = write(now, text, done.writing)
    if steps is None or steps.done:
        return steps
    return replace(steps, progress=replace(done, writing=steps.progress))


def _finish(now: Reading, done: Ticking) -> Steps | None:
    """Without a text of ours the field is emptied, since it would be sent too; then Done."""
    place = now.field
    if place and place.row and place.text:
        if place.focused:
            return Steps(clearing(place), progress=done)
        return _move(towards(now, place.row), now, done)
    if now.steer and now.steer.selected:
        return Steps((Press("Enter", deciding=True),), done=True)
    return _move("Down", now, done)
