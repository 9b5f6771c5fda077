"""Text out of the rows of a box: inner boxes opened, wrapped lines joined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_core.reading import inner_boxes, unwrap
from clawtap_gemini.block import shown

_NUMBERED_LINE = re.compile(r" *\d+( |$)")
_BORDER = re.compile(r" *[╭╰┌└][─━]+[╮╯┐┘]")
_CODE_MARGIN = 6


def text_of(rows: Sequence[str], width: int) -> str:
    """Everything the rows say, the text of inner boxes included, in its order."""
    parts: list[str] = []
    done = 0
    for box in inner_boxes(rows):
        parts += [_prose(rows[done : box.top], width), boxed_text(rows[box.top : box.bottom + 1])]
        done = box.bottom + 1
    parts.append(_prose(rows[done:], width))
    return "\n".join(part for part in parts if part).strip("\n")


def boxed_text(rows: Sequence[str]) -> str:
    """The text of the inner boxes alone: a command, or a listing with line numbers."""
    return "\n\n".join(
        code(box.rows, box.width - _CODE_MARGIN) for box in inner_boxes(rows) if any(box.rows)
    )


def code(rows: Sequence[str], width: int) -> str:
    """Code as it was written: continuations of numbered lines, or of full ones, joined."""
    rows = shown(rows)
    return _listing(rows) if is_listing(rows) else unwrap(rows, width, code=True)


def is_listing(rows: Sequence[str]) -> bool:
    """Whether most rows begin with a line number: a diff, or a new file."""
    numbered = sum(bool(_NUMBERED_LINE.match(row)) for row in rows)
    return numbered > 0 and numbered * 2 >= len(rows)


def _listing(rows: Sequence[str]) -> str:
    lines: list[str] = []
    for row in rows:
        if lines and row.startswith("  ") and not _NUMBERED_LINE.match(row):
            lines[-1] += " " + row.strip()
        else:
            lines.append(row)
    return "\n".join(lines)


def without_borders(rows: Sequence[str]) -> list[str]:
    """The rows without the borders of boxes that have left the screen."""
    return [row for row in rows if not _BORDER.fullmatch(row)]


def _prose(rows: Sequence[str], width: int) -> str:
    rows = without_borders(shown(rows))
    return _listing(rows) if is_listing(rows) else unwrap(rows, width)
