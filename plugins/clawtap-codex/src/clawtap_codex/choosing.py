"""Choosing one row: by the key that facts prove for it, else by moving the cursor to it."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_codex.reading import Reading
from clawtap_core import Press, Steps
from clawtap_core.reading import OptionRow

MOVES = 36
_PATIENCE = 3
_WAKES, _WAKES_WITHIN = 5, 1
ENTER = Steps((Press("Enter", deciding=True),), done=True)


@dataclass(frozen=True, slots=True)
class Moving:
    """How often the cursor was moved, where it stood before the last key, rounds waited since."""

    moves: int = 0
    start: int | None = None
    waited: int = 0


def choose(now: Reading, label: str, done: Moving) -> Steps | None:
    """The next key towards this row. None: the row cannot be found."""
    row, key = now.row(label), now.key(label)
    if now.wakes and (not done.moves or now.cursor == done.start):
        return _wake(now, done)
    if row is None:
        return move("Down", now, done) if now.form.more_options else None
    if key:
        return Steps((Press(key, deciding=True),), done=True)
    return ENTER if row.selected else move(towards(now, row), now, done)


def _wake(now: Reading, done: Moving) -> Steps | None:
    """Move the cursor and see it move, before a key is pressed that decides.

    A key that decides is never pressed twice, and 0.169 loses keys while it starts.
    """
    if done.moves and done.waited < _WAKES_WITHIN:
        return Steps(progress=Moving(done.moves, done.start, done.waited + 1))
    if done.moves >= _WAKES:
        return None
    return Steps((Press("Down"),), progress=Moving(done.moves + 1, now.cursor))


def towards(now: Reading, row: OptionRow) -> str:
    """The arrow that leads from the cursor to a row that is in view."""
    return "Down" if (now.cursor or 0) < (row.number or 0) else "Up"


def move(key: str, now: Reading, done: Moving) -> Steps | None:
    """One key that moves the cursor, once the last one is seen to have moved it.

    None when it does not move, or after too many.
    """
    if done.moves and now.cursor == done.start:
        waits = Moving(done.moves, done.start, done.waited + 1)
        return Steps(progress=waits) if done.waited < _PATIENCE else None
    if done.moves >= MOVES:
        return None
    return Steps((Press(key),), progress=Moving(done.moves + 1, now.cursor))
