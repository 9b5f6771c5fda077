"""The part of the screen in which a tool call asks, in place of the composer.

Older versions draw a box around the calls of a turn. Newer ones draw none, and have a scroll bar
at the right. In both a row says that the CLI waits; below it are only messages for its next turn.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from clawtap_core import Screen, Style
from clawtap_core.screens import (
    OptionRow,
    cells,
    last_paragraph,
    lowest_box,
    next_word_fits,
    numbered_rows,
    parsed_once,
    style_at,
)
from clawtap_qwen.screen.composer import find_composer
from clawtap_qwen.words import WORDS

_WAITS = WORDS.pattern("block.waits")
_QUEUED = WORDS.pattern("block.queued")
_MORE = WORDS.pattern("block.more")
_HIDDEN = WORDS.pattern("block.hidden")
_SCROLL_BAR = re.compile(r"[█│]$")
ASKS = re.compile(r"\? +(?P<call>\S.*?)? +←")
_OPTION = re.compile(r"[❯›>]? *(?:\[[ ✓]\] )?\d+\. ")
# A narrow row has no room for the blank between the number and the text field.
_NUMBER = re.compile(r"([❯›>]? *(?:\[[ ✓]\] )?\d+\.)(?=>(?: |$))")
CALL = re.compile(r"[?o✓x⊶⊷-] {1,2}\S")
_BEGIN = 2
# The CLI wraps a command or a diff wider than the place it has, and cuts off what sticks out.
_BOX_SIDES, _MARGINS = 6, 8


@dataclass(frozen=True)
class Block:
    """A call that asks: the `rows` below its headline, which is None where it left the screen.

    `top` and `column` are where the rows begin on the screen; `width` is what is visible of them.
    """

    screen: Screen
    head: str | None
    rows: tuple[str, ...]
    top: int
    column: int
    width: int

    @cached_property
    def options(self) -> tuple[OptionRow, ...]:
        """The rows of the list."""
        hung = _hung(self.rows, self.width)
        moved = [len(row) - len(shown) for row, shown in zip(hung, self.rows, strict=True)]

        def look(row: int, column: int) -> Hashable:
            # A description is dim, in the colour of the labels.
            style = self.style(row, column - moved[row])
            return (style.fg, style.dim) if style else None

        return numbered_rows(hung, self.width, look)

    @property
    def begin(self) -> int:
        """The row of the screen where the call begins: that of its headline, if it is shown."""
        return self.top - (self.head is not None)

    @property
    def start(self) -> int:
        """The row where the list begins."""
        return self.options[0].first if self.options else len(self.rows)

    @cached_property
    def hint(self) -> str:
        """The last paragraph, which says what keys do."""
        return last_paragraph(self.rows)

    @cached_property
    def cut(self) -> bool:
        """Whether the top has left the screen, or the CLI hides lines."""
        return self.head is None or any(_HIDDEN.fullmatch(row.strip()) for row in self.rows)

    def style(self, row: int, column: int) -> Style | None:
        """Return the style of a character of one of the rows."""
        return style_at(self.screen, self.top + row, self.column + column)


@parsed_once
def find_block(screen: Screen) -> Block | None:
    """Return the call that asks, or None while nothing waits for an answer."""
    lines = screen.lines
    end = _waiting_row(lines)
    if end is None or find_composer(screen):
        return None
    while end and (not lines[end - 1].strip() or _MORE.match(lines[end - 1])):
        end -= 1
    boxed = end > 0 and lines[end - 1].lstrip().startswith("╰")
    return _in_box(screen, end) if boxed else _without_box(screen, end)


def _waiting_row(lines: Sequence[str]) -> int | None:
    for row in range(len(lines) - 1, -1, -1):
        if _WAITS.fullmatch(lines[row]):
            return row
        if lines[row] and not _QUEUED.match(lines[row]):
            return None
    return None


def _hung(rows: Sequence[str], width: int) -> list[str]:
    """Return the rows with what continues a label under it: the CLI begins it at the left edge."""
    hung: list[str] = []
    column = 0
    for above, row in zip(("", *rows), map(_spaced, rows), strict=False):
        continues = row and not row.startswith(" ") and not next_word_fits(above, row, width)
        if option := _OPTION.match(row):
            column = option.end()
        elif not (column and continues):
            column = 0
        hung.append(row if option else " " * column + row)
    return hung


def _spaced(row: str) -> str:
    return _NUMBER.sub(r"\1 ", row, count=1)


def _in_box(screen: Screen, end: int) -> Block | None:
    box = lowest_box(screen.lines[:end])
    if box is None:
        return None
    head, first, last = _asking_call(box.rows, 0)
    rows = box.rows[first:last]
    return Block(screen, head, rows, box.first + first, box.left + 2, box.width - _BOX_SIDES)


def _without_box(screen: Screen, end: int) -> Block | None:
    lines = without_bar(screen)[:end]
    head, first, last = _asking_call(lines, _BEGIN)
    rows = tuple(line[_BEGIN + 1 :] for line in lines[first:last])
    return Block(screen, head, rows, first, _BEGIN + 1, screen.cols - _MARGINS)


def without_bar(screen: Screen) -> list[str]:
    """Return the lines without the scroll bar at their right."""
    return [
        _SCROLL_BAR.sub("", line).rstrip() if _reaches_bar(line, screen.cols) else line
        for line in screen.lines
    ]


def _reaches_bar(line: str, cols: int) -> bool:
    # The CLI and tmux disagree on how much room is taken by what shows nothing.
    unseen = sum(cells(char) == 0 for char in line)
    return abs(cells(line) - cols) <= unseen


def _asking_call(rows: Sequence[str], column: int) -> tuple[str | None, int, int]:
    """Return the headline of the call that asks, its first row below that, and the row after it."""
    margin = " " * column
    heads = [row.removeprefix(margin) if row.startswith(margin) else "" for row in rows]
    asking = [at for at, head in enumerate(heads) if ASKS.fullmatch(head)]
    first = asking[-1] + 1 if asking else 0
    match = ASKS.fullmatch(heads[first - 1]) if asking else None
    below = range(first, len(rows))
    # Calls that wait for their turn are below.
    last = next((at for at in below if asking and CALL.match(heads[at])), len(rows))
    return (match["call"] or "") if match else None, first, last
