"""The line at the cursor, where a program waits for what the user types."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core import Screen
from clawtap_core.screens import cells


@dataclass(frozen=True)
class LastLine:
    """The text up to the cursor, with the rows that it wraps over, and its first row."""

    text: str
    top: int


def last_line(screen: Screen) -> LastLine | None:
    """Return the line at whose end the cursor waits, or None if it does not wait there."""
    if screen.cursor is None or screen.cursor_visible is False:
        return None
    column, row = screen.cursor
    if row >= len(screen.lines) or any(screen.lines[row + 1 :]):
        return None
    line = screen.lines[row]
    # A blank or two may be before the cursor, and they are not painted.
    if not line or not 0 <= column - cells(line) <= 2:
        return None
    top = row
    while top and cells(screen.lines[top - 1]) >= screen.cols:
        top -= 1
    return LastLine("".join(screen.lines[top : row + 1]), top)
