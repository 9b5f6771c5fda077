"""The line at the cursor, where a program waits for what the user types."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core import Screen
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import cells

# So much of what is above tells a line from one that reads the same, in a pane of any width.
_LETTERS_ABOVE = 200


@dataclass(frozen=True)
class LastLine:
    """The text up to the cursor, with the rows that it wraps over, and its first row.

    It is not `in_row` if it fills the row above that of the cursor.
    """

    text: str
    top: int
    in_row: bool = True


def last_line(screen: Screen) -> LastLine | None:
    """Return the line at whose end the cursor waits, below which nothing stands, or None."""
    line = cursor_line(screen, blanks=0)
    return line if line and line.in_row and nothing_below(screen) else None


def cursor_line(screen: Screen, *, blanks: int = 1) -> LastLine | None:
    """Return the line at whose end the cursor waits, or None if it does not wait there.

    So many `blanks` may end a row that it wraps over: they are not painted.
    """
    if screen.cursor is None or screen.cursor_visible is False:
        return None
    column, row = screen.cursor
    if row >= len(screen.lines):
        return None
    line = screen.lines[row]
    text, top = wrapped(screen, row, blanks=blanks)
    # A blank or two may be before the cursor, and they are not painted.
    if not text or not 0 <= column - cells(line) <= (2 if line else 0):
        return None
    return LastLine(text, top, in_row=bool(line))


def wrapped(screen: Screen, row: int, *, blanks: int = 1) -> tuple[str, int]:
    """Return the line that ends in this row, with the rows it wraps over, and its first row."""
    top = row
    while top and is_full(screen, top - 1, blanks=blanks):
        top -= 1
    return "".join(screen.lines[top : row + 1]), top


def is_full(screen: Screen, row: int, *, blanks: int = 1) -> bool:
    """Return whether the text of this row may go on in the next; a rule ends with it."""
    line = screen.lines[row]
    return cells(line) + blanks >= screen.cols and any(map(str.isalnum, line))


def nothing_below(screen: Screen) -> bool:
    """Return whether the cursor is on the last row that has text, or below it."""
    return screen.cursor is not None and not any(screen.lines[screen.cursor[1] + 1 :])


def text_above(screen: Screen, line: LastLine) -> str:
    """Return the end of what stands above this line, however it wraps."""
    return squeeze("".join(screen.lines[: line.top]))[-_LETTERS_ABOVE:]
