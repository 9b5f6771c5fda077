"""Boxes drawn with lines: the lowest one on a screen, and boxes inside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from clawtap_core.screens.options import OptionRow
from clawtap_core.screens.text import cells

_BOTTOM = re.compile(r"( *)[╰└][─━]+[╯┘]?")
_BOTTOM_HEAD = re.compile(r"( *)[╰└][─━]*")
_BOTTOM_TAIL = re.compile(r"[─━]*[╯┘]")
_DASHES = re.compile(r"[─━]+")
_SIDE_TOP = re.compile(r"[^│┃┌╭└╰]*[^\s│┃┌╭└╰] +([┌╭][─━]{2,}[┐╮]?)")
_SIDES = "│┃"
_TOPS = "╭┌"


@dataclass(frozen=True, slots=True)
class Box:
    """A box: its text without the sides, and its position.

    `top` and `bottom` are the screen rows of its borders; `whole` is False when the top border
    has scrolled away. `rows` keep their indentation without the blank at the side; the first is
    screen row `first`. Each takes `height` screen rows where a narrowed terminal folded the box.
    """

    top: int
    bottom: int
    left: int
    width: int
    rows: tuple[str, ...]
    whole: bool
    first: int
    height: int = 1

    def on_screen(self, rows: Iterable[OptionRow]) -> tuple[OptionRow, ...]:
        """Return rows of a list, read in `rows`, at their places on the screen."""
        return tuple(
            replace(
                row,
                first=self.first + row.first * self.height,
                last=self.first + (row.last + 1) * self.height - 1,
                column=self.left + 2 + row.column,
            )
            for row in rows
        )


def lowest_box(lines: Sequence[str]) -> Box | None:
    """Return the lowest box with a bottom border, or None if its sides are broken.

    Rows below it that end with the same border are the rest of a taller frame.
    """
    for row in range(len(lines) - 1, -1, -1):
        line = lines[row]
        if _BOTTOM.fullmatch(line):
            return _closed(lines, row)
        if _BOTTOM_TAIL.fullmatch(line):
            return _folded(lines, row)
    return None


def _closed(lines: Sequence[str], bottom: int) -> Box | None:
    border = lines[bottom]
    left = len(border) - len(border.lstrip(" "))
    closed = border[-1] in "╯┘"
    rows: list[str] = []
    for row in range(bottom - 1, -1, -1):
        line = lines[row]
        if line == border:
            bottom, rows = row, []
            continue
        side = line[left : left + 1]
        if side and side in _TOPS:
            if len(line) != len(border):
                return None
            return Box(row, bottom, left, len(border) - left, tuple(rows[::-1]), True, row + 1)
        right = len(line) > left + 1 and line[-1] in _SIDES
        # A right side rules out an open border below.
        if not side or side not in _SIDES or line[:left].strip() or right > closed:
            return None
        text = (line[:-1] if right else line)[left + 1 :].rstrip()
        rows.append(text.removeprefix(" "))
    return Box(0, bottom, left, len(border) - left, tuple(rows[::-1]), False, 0) if rows else None


def _unfolded(pieces: Sequence[str], width: int) -> str:
    """Join what a narrowed terminal of this width made of one row."""
    row = ""
    for piece, following in zip(pieces, (*pieces[1:], ""), strict=True):
        left = width - cells(piece)
        # A wide character that had half its room left there goes on with the next row.
        row += piece + " " * (0 if left < cells(following[:1]) else left)
    return row.rstrip()


def _folded(lines: Sequence[str], last: int) -> Box | None:
    """Read a box whose rows a narrowed terminal folded to as many screen rows as its border."""
    head = last - 1
    while head >= 0 and _DASHES.fullmatch(lines[head]):
        head -= 1
    if head < 0 or not _BOTTOM_HEAD.fullmatch(lines[head]):
        return None
    height, width = last - head + 1, len(lines[head])
    joined: list[str] = []
    for row in range(last - height + 1, -1, -height):
        pieces = lines[row : row + height]
        joined.append(_unfolded(pieces, width))
        if joined[-1].lstrip(" ")[:1] in ("╭", "┌"):
            break
    box = _closed(joined[::-1], len(joined) - 1)
    if box is None:
        return None
    top = last + 1 - height * (len(joined) - box.top)
    first = last + 1 - height * (len(joined) - box.first)
    return Box(top, last, box.left, box.width, box.rows, box.whole, first, height)


def inner_boxes(rows: Sequence[str]) -> tuple[Box, ...]:
    """Return the closed boxes within rows, from the top."""
    boxes: list[Box] = []
    end = len(rows)
    while end > 0:
        box = lowest_box(rows[:end])
        if box is None:
            end = _above_border(rows, end)
            continue
        boxes.append(box)
        end = box.top
    return tuple(boxes[::-1])


def _above_border(rows: Sequence[str], end: int) -> int:
    for row in range(end - 1, -1, -1):
        if _BOTTOM.fullmatch(rows[row]) or _BOTTOM_TAIL.fullmatch(rows[row]):
            return row
    return 0


def without_side_boxes(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the rows without the boxes to the right of their text (previews)."""
    kept = list(rows)
    for top, row in enumerate(rows):
        match = _SIDE_TOP.match(row)
        if match is None:
            continue
        column = match.start(1)
        for bottom in range(top + 1, len(rows)):
            side = rows[bottom][column : column + 1]
            if side in ("└", "╰"):
                kept[top : bottom + 1] = [line[:column].rstrip() for line in kept[top : bottom + 1]]
                break
            # A row that says how many are left out has a mark of its own, or nothing.
            if side and side not in (*_SIDES, "├"):
                break
    return tuple(kept)
