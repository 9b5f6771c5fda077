"""Wrapped labels: alone, or with descriptions to the right that are wrapped on their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clawtap_core.screens.options import OptionRow
from clawtap_core.screens.text import cells

_GAP = re.compile(r"(?:  +|… +)(?=\S)")
_FILLER = "\0"


def in_columns(rows: Sequence[str], options: Sequence[OptionRow]) -> tuple[OptionRow, ...]:
    """The options with label and description told apart by the column where the right one begins.

    Without such a column every label is all that its rows hold. A label that was cut where the
    right column begins keeps its ellipsis.
    """
    grids = {row: _cells(rows[row]) for each in options for row in _span(each)}
    split = _right_column(grids, options)
    return tuple(_divided(grids, each, split) for each in options)


def in_one_column(rows: Sequence[str], options: Sequence[OptionRow]) -> tuple[OptionRow, ...]:
    """The options where all that their rows hold is the label."""
    grids = {row: rows[row] for each in options for row in _span(each)}
    return tuple(_divided(grids, each, None) for each in options)


def _span(option: OptionRow) -> range:
    return range(option.first, option.last + 1)


def _cells(row: str) -> str:
    """The row with one character a cell, so that columns are indexes."""
    if row.isascii():
        return row
    return "".join(char + _FILLER * (cells(char) - 1) for char in row if cells(char))


def _right_column(grids: dict[int, str], options: Sequence[OptionRow]) -> int | None:
    """The first column where a description begins, and that no label reaches."""
    found = {
        gap.end()
        for each in options
        for gap in _GAP.finditer(grids[each.first], each.column)
        if gap.start() > each.column
    }
    for column in sorted(found):
        if all(_free(grid, column) for grid in grids.values()):
            return column
    return None


def _free(grid: str, column: int) -> bool:
    return len(grid) < column or (grid[column - 1] == " " and grid[column - 2] in " …")


def _divided(grids: dict[int, str], option: OptionRow, split: int | None) -> OptionRow:
    left = [grids[row][option.column : split] for row in _span(option)]
    right = [grids[row][split:] if split else "" for row in _span(option)]
    return replace(option, label=_joined(left), description=_joined(right))


def _joined(pieces: Sequence[str]) -> str:
    words = (piece.replace(_FILLER, "").strip() for piece in pieces)
    return " ".join(word for word in words if word)
