"""The dialog in place of the composer: a box as wide as the pane, with a heading and a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from clawtap_copilot.screen.overflow import without_overflow
from clawtap_copilot.words import WORDS
from clawtap_core import Screen
from clawtap_core.screens import (
    Box,
    OptionRow,
    inner_boxes,
    lowest_box,
    numbered_rows,
    parsed_once,
    unwrap,
)

_KEYS = WORDS.pattern("block.keys")
_ESCAPES = WORDS.pattern("block.escapes")
OPTION = re.compile(r" *(?P<mark>❯?) *(?P<number>\d+)\. ")
_RULE = "─"
_SIDE = "│"
_MARGIN = 4


@dataclass(frozen=True)
class Block:
    """A dialog without its frame; `title` is empty where the top of the box is out of sight."""

    screen: Screen
    box: Box
    title: str
    rows: tuple[str, ...]
    first: int

    @property
    def width(self) -> int:
        """The width of the text."""
        return self.box.width - _MARGIN

    @cached_property
    def options(self) -> tuple[OptionRow, ...]:
        """The numbered rows."""
        rows = numbered_rows(_aligned(self.rows), self.width)
        return tuple(replace(row, label=f"{row.label} {row.description}".strip()) for row in rows)

    @property
    def above(self) -> tuple[str, ...]:
        """The rows above the list, or all above the keys."""
        return self.rows[: self.options[0].first] if self.options else self.rows

    @cached_property
    def escapes(self) -> bool:
        """Whether Escape cancels."""
        return bool(_ESCAPES.search(" ".join(self.rows)))


@parsed_once
def find_block(screen: Screen) -> Block | None:
    """Return the dialog at the end of the screen; None while it is painted only in part."""
    drawn = without_overflow(screen)
    lines = _with_edge(drawn.lines)
    box = _box(lines)
    if box is None or box.left or any(lines[box.bottom + 1 :]):
        return None
    if not _KEYS.search(" ".join(box.rows[-4:])):
        return None
    title, rows, first = "", box.rows, box.first
    # Where a row overflowed, the top of the box has moved away from the rest.
    if box.whole or drawn is not screen:
        rule = next((at for at, row in enumerate(rows) if row and not row.strip(_RULE)), None)
        if rule is None:
            return None
        title = unwrap(rows[:rule], box.width - _MARGIN).replace("\n", " ")
        rows, first = rows[rule + 1 :], box.first + rule + 1
    elif rows and rows[0] and not rows[0].strip(_RULE):
        rows, first = rows[1:], first + 1
    return Block(drawn, box, title, tuple(row.replace("\xa0", " ") for row in rows), first)


def _aligned(rows: Sequence[str]) -> list[str]:
    """Return the rows with the numbers of the list in one column, and what continues one deeper.

    A narrow pane leaves out blanks next to the mark, in some rows of a list.
    """
    aligned, inside = list(rows), False
    for at, row in enumerate(rows):
        match = OPTION.match(row)
        inside = match is not None or (inside and bool(row.strip()))
        if match:
            aligned[at] = f"{match['mark'] or ' '} {row[match.start('number') :]}"
        elif inside:
            aligned[at] = f"     {row.strip()}"
    return aligned


def _with_edge(lines: Sequence[str]) -> Sequence[str]:
    """Return the rows with the lower edge of a box that ends with its keys.

    At the pane's end 1.0.64 leaves the edge out once a text in the box has wrapped.
    """
    last = next((at for at in range(len(lines) - 1, -1, -1) if lines[at]), None)
    keys = lines[last] if last is not None else ""
    if not (keys.startswith(_SIDE) and keys.endswith(_SIDE) and _KEYS.search(keys)):
        return lines
    return (*lines[:last], keys, f"╰{_RULE * (len(keys) - 2)}╯")


def _box(lines: Sequence[str]) -> Box | None:
    """Return the lowest box, also where the tabs of the CLI stand over its upper part."""
    if box := lowest_box(lines):
        return box
    bottom = len(lines) - 1
    while bottom > 0 and not lines[bottom].startswith("╰"):
        bottom -= 1
    top = bottom
    while top > 0 and lines[top - 1].startswith(_SIDE):
        top -= 1
    cut = lowest_box(lines[top : bottom + 1]) if top < bottom else None
    if cut is None:
        return None
    return replace(cut, top=top, bottom=bottom, first=top, whole=False)


def texts_in_boxes(rows: Sequence[str], width: int) -> list[str]:
    """Return the text of each box in the rows, as it was before it was wrapped."""
    boxes = inner_boxes(rows)
    return [unwrap(box.rows, min(box.width, width) - _MARGIN, code=True) for box in boxes]


def without_boxes(rows: Sequence[str]) -> list[str]:
    """Return the rows without the boxes in them."""
    inside = {at for box in inner_boxes(rows) for at in range(box.top, box.bottom + 1)}
    return [row for at, row in enumerate(rows) if at not in inside]
