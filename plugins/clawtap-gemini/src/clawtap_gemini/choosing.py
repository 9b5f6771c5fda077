"""Choosing one row: by its digit where that is proven, else by moving the cursor to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clawtap_core import Press, Steps
from clawtap_core.reading import OptionRow
from clawtap_gemini.reading import Reading

MOVES = 36
LAST_DIGIT = 9
_PATIENCE = 2
_AGAIN = 2


@dataclass(frozen=True, slots=True)
class Moving:
    """How often the cursor was moved, where it stood before the last key, rounds waited since.

    `again`: how often a key was pressed again that moved nothing; the CLI loses one now and then
    while a text field takes the focus.
    """

    moves: int = 0
    start: int | None = None
    waited: int = 0
    again: int = 0


def choose(now: Reading, label: str, done: Moving) -> Steps | None:
    """The next key towards this row. None: the row cannot be found."""
    row = now.row(label)
    if row is None:
        return move("Down", now, done) if now.form.more_options else None
    if now.field and now.field.row and now.field.focused:
        # Digits would be typed into the text field.
        return move("Up", now, done)
    if now.digits and row.number and row.number <= LAST_DIGIT:
        return Steps((Press(str(row.number), deciding=True),), done=True)
    if row.selected:
        return Steps((Press("Enter", deciding=True),), done=True)
    return move(towards(now, row), now, done)


def towards(now: Reading, row: OptionRow) -> str:
    """The arrow that leads from the cursor to a row that is in view."""
    drawn = [*now.rows, *([now.field.row] if now.field and now.field.row else [])]
    if now.steer:
        drawn.append(now.steer)
    selected = next((each.first for each in drawn if each.selected), 0)
    return "Down" if selected < row.first else "Up"


def move(key: str, now: Reading, done: Moving) -> Steps | None:
    """One key that moves the cursor, once the last one is seen to have moved it.

    None when it does not move, or after too many.
    """
    stood = bool(done.moves) and now.cursor == done.start
    if stood and done.waited < _PATIENCE:
        return Steps(progress=replace(done, waited=done.waited + 1))
    again = done.again + 1 if stood else 0
    if again > _AGAIN or done.moves >= MOVES:
        return None
    return Steps((Press(key),), progress=Moving(done.moves + 1, now.cursor, again=again))
