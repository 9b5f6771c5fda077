"""The style of a cell: it tells a label from its description, and the row with the cursor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from clawtap_core.model import Screen, Style
from clawtap_core.screens.options import OptionRow

_BUTTON = re.compile(r"\S+(?: \S+)*")


def style_at(screen: Screen, row: int, column: int) -> Style | None:
    """Return the style of the character at this index of a row's plain text."""
    if not 0 <= row < len(screen.captured):
        return None
    for span in screen.spans(row):
        if column < len(span.text):
            return span.style
        column -= len(span.text)
    return None


def select_by_style(
    screen: Screen, rows: Sequence[OptionRow], chosen: Callable[[Style], bool] | None = None
) -> tuple[OptionRow, ...]:
    """Return the rows with the cursor on the one that is drawn as no other row is.

    Of two rows nothing tells which one that is: `chosen` returns True for the style of the cursor.
    No row is selected unless exactly one stands out.
    """
    styles = [style_at(screen, row.first, row.column) for row in rows]
    if chosen:
        stands_out = [style is not None and chosen(style) for style in styles]
    else:
        times = Counter(styles)
        stands_out = [len(rows) > 2 and times[style] == 1 for style in styles]
    alone = stands_out.count(True) == 1
    return tuple(
        replace(row, selected=alone and out) for row, out in zip(rows, stands_out, strict=True)
    )


def button_row(
    screen: Screen,
    row: int,
    chosen: Callable[[Style], bool] | None = None,
    *,
    start: int = 0,
    end: int | None = None,
) -> tuple[OptionRow, ...]:
    """Return the buttons of one row, two blanks or more apart, selected by their style.

    `start` and `end` are the columns between which they stand.
    """
    line = screen.lines[row]
    buttons = [
        OptionRow(None, match[0], selected=False, first=row, last=row, column=match.start())
        for match in _BUTTON.finditer(line, start, len(line) if end is None else end)
    ]
    return select_by_style(screen, buttons, chosen)


def panel_end(screen: Screen, row: int, column: int) -> int:
    """Return the column where the panel around this character ends, or the end of the row.

    There the row has the background again that it begins with: a side bar may follow.
    """
    margin = style_at(screen, row, 0)
    inside = style_at(screen, row, column)
    length = sum(len(span.text) for span in screen.spans(row))
    if margin is None or inside is None or margin.bg == inside.bg:
        return length
    at = 0
    for span in screen.spans(row):
        if at > column and span.style.bg == margin.bg:
            return at
        at += len(span.text)
    return length
