"""The two columns of a wide pane while a side conversation is open, as 0.169 divides it.

The main conversation is on the left. Only the column that gets the keys shows a prompt, and only
its composer has the cursor.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clawtap_core import Screen
from clawtap_core.screens import cells, parsed_once

_DIVIDER = "│"
_STYLE = re.compile(r"(\x1b\[[0-9;:]*m)")
_NARROWEST = 20
# A table of a conversation has the composer or a footer below it.
_LEAST_ROWS = 8


@parsed_once
def columns(screen: Screen) -> tuple[Screen, Screen] | None:
    """Return the left and the right column, or None where the pane is not divided."""
    at = _divider(screen)
    return None if at is None else (_part(screen, 0, at), _part(screen, at + 1, screen.cols))


def in_front(screen: Screen) -> Screen:
    """Return the main conversation if it gets the keys and has a column of its own."""
    sides = columns(screen)
    if sides is None or screen.cursor is None or screen.cursor_visible is False:
        return screen
    return sides[0] if screen.cursor[0] < sides[0].cols else screen


def _divider(screen: Screen) -> int | None:
    """Return the cell at which the lowest rows all have the divider, which is in every row."""
    lines = screen.text.split("\n")
    common = set(range(_NARROWEST, screen.cols - _NARROWEST))
    if len(lines) < _LEAST_ROWS:
        return None
    for line in lines[-_LEAST_ROWS:]:
        common &= _marks(line)
        if not common:
            return None
    return common.pop() if len(common) == 1 else None


def _marks(line: str) -> set[int]:
    return {cells(line[:at]) for at, char in enumerate(line) if char == _DIVIDER}


def _part(screen: Screen, start: int, end: int) -> Screen:
    cursor = screen.cursor
    inside = cursor is not None and start <= cursor[0] < end
    return replace(
        screen,
        captured=tuple(_cut(row, start, end) for row in screen.captured),
        cols=end - start,
        cursor=(cursor[0] - start, cursor[1]) if cursor and inside else None,
    )


def _cut(row: str, start: int, end: int) -> str:
    """Return the cells from start to end of a captured row, with all its styles."""
    kept, at = [], 0
    for piece in _STYLE.split(row):
        if piece.startswith("\x1b"):
            kept.append(piece)
            continue
        for char in piece:
            if start <= at < end:
                kept.append(char)
            at += cells(char)
    return "".join(kept)
