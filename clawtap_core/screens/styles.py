"""The style of a cell, which tells a label from its description."""

from __future__ import annotations

from clawtap_core.model import Screen, Style


def style_at(screen: Screen, row: int, column: int) -> Style | None:
    """Return the style of the character at this index of a row's plain text."""
    if not 0 <= row < len(screen.captured):
        return None
    for span in screen.spans(row):
        if column < len(span.text):
            return span.style
        column -= len(span.text)
    return None
