"""Wrapped labels, alone or with separately wrapped descriptions to their right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clawtap_core.screens.options import OptionRow
from clawtap_core.screens.text import cells, joined_rows

_GAP = re.compile(r"(?:  +|… +)(?=\S)")
_FILLER = "\0"
# The labels of two-digit numbers begin further right.
_INDENT = 2


def in_columns(rows: Sequence[str], options: Sequence[OptionRow]) -> tuple[OptionRow, ...]:
    """Split each option into label and description where the right column begins.

    Without such a column the rows hold only labels. A label cut at the column keeps its ellipsis.
    """
    grids = {row: _cells(rows[row]) for option in options for row in _span(option)}
    # A long word may leave the row of its number to the description alone.
    left = min((option.column for option in options), default=0)
    options = [
        replace(option, column=left) if option.column > left + _INDENT else option
        for option in options
    ]
    split = _right_column(grids, options)
    return tuple(_divided(grids, option, split) for option in options)


def in_one_column(rows: Sequence[str], options: Sequence[OptionRow]) -> tuple[OptionRow, ...]:
    """Return the options with the whole text of their rows as the label."""
    grids = {row: rows[row] for option in options for row in _span(option)}
    return tuple(_divided(grids, option, None) for option in options)


def _span(option: OptionRow) -> range:
    return range(option.first, option.last + 1)


def _cells(row: str) -> str:
    # One character for each cell, so that columns are indexes.
    if row.isascii():
        return row
    return "".join(char + _FILLER * (cells(char) - 1) for char in row if cells(char))


def _right_column(grids: dict[int, str], options: Sequence[OptionRow]) -> int | None:
    # The first column where a description begins and that no label reaches.
    columns = {
        gap.end()
        for option in options
        for gap in _GAP.finditer(grids[option.first], option.column)
        if gap.start() > option.column
    }
    for column in sorted(columns):
        if all(
            len(grid) < column or (grid[column - 1] == " " and grid[column - 2] in " …")
            for grid in grids.values()
        ):
            return column
    return None


def _divided(grids: dict[int, str], option: OptionRow, split: int | None) -> OptionRow:
    left = [grids[row][option.column : split] for row in _span(option)]
    right = [grids[row][split:] if split else "" for row in _span(option)]
    return replace(option, label=_joined(left), description=_joined(right))


def _joined(pieces: Sequence[str]) -> str:
    return joined_rows(piece.replace(_FILLER, "") for piece in pieces)
