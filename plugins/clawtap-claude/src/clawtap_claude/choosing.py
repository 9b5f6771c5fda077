"""Choosing one row: by its digit where that is proven, else by moving the cursor to it."""

from __future__ import annotations

from clawtap_claude.reading import Reading
from clawtap_core import Pause, Press, Steps
from clawtap_core.reading import OptionRow

MOVES = 30
SETTLED = 0.25
"""A dialog that was just painted does not take keys yet; older versions lose an Enter that
follows text at once."""
_LAST_DIGIT = 9


def choose(now: Reading, label: str, moves: int) -> Steps | None:
    """The next key towards this row. None: the row cannot be found."""
    row = now.row(label)
    if row is None:
        return None
    apart = label in now.aside
    if now.field and now.field.focused:
        # Digits would be typed into the text field.
        return move(towards(now, row), moves)
    if now.digits and row.number and row.number <= _LAST_DIGIT and not apart:
        return decide(str(row.number))
    if row.selected:
        return decide("Enter")
    return move(towards(now, row), moves)


def towards(now: Reading, row: OptionRow) -> str:
    """The arrow that leads from the cursor to a row that is in view."""
    drawn = [
        *now.rows,
        *([now.field.row] if now.field else []),
        *([now.steer] if now.steer else []),
    ]
    selected = next((each.first for each in drawn if each.selected), 0)
    return "Down" if selected < row.first else "Up"


def move(key: str, moves: int) -> Steps | None:
    """One key that decides nothing; None after too many."""
    return Steps((Press(key),), progress=moves + 1) if moves < MOVES else None


def decide(key: str) -> Steps:
    """The key that the CLI acts on, after a moment in which the screen stays as it is."""
    return Steps((Pause(SETTLED), Press(key, deciding=True)), done=True)
