"""Extract text from the rows of a prompt: remove margins and bars, join wrapped lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_claude.screen.block import CUT
from clawtap_core.screens import unwrap

_BAR = re.compile(r" ?│(?: |$)")
_MORE = re.compile(r"… \(\+\d+ more lines?\)")
_NUMBERED_LINE = re.compile(r" *\d+(?: [ +-]?|$)")
_FOLDED = re.compile(r" *[+-](?=\S)|\s+")


def without_bars(rows: Sequence[str]) -> list[str]:
    """Remove the bar that the CLI draws left of text of several lines."""
    barred = [row for row in rows if row.strip()]
    if not barred or not all(_BAR.match(row) for row in barred):
        return [row.removeprefix(" ") for row in rows]
    return [_BAR.sub("", row, count=1) for row in rows]


def hidden(rows: Sequence[str]) -> bool:
    """Return True if the CLI left lines out."""
    return any(_MORE.search(row) or row.rstrip().endswith(("↓", "↑")) for row in rows)


def shown(rows: Sequence[str]) -> list[str]:
    """Replace the CLI's notes on hidden lines with an ellipsis."""
    return [_MORE.sub(CUT, row).rstrip(" ↓↑") for row in rows]


def prose(rows: Sequence[str], width: int) -> str:
    """Return text as it was before it was wrapped."""
    return unwrap(without_bars(shown(rows)), width).strip("\n")


def code(rows: Sequence[str], width: int) -> str:
    """Return code as it was before it was wrapped; a listing keeps its line numbers."""
    plain = without_bars(shown(rows))
    return _listing(plain) if is_listing(plain) else unwrap(plain, width, code=True).strip("\n")


def is_listing(rows: Sequence[str]) -> bool:
    """Return True if most rows begin with a line number: a diff or a new file."""
    numbered = sum(bool(_NUMBERED_LINE.match(row)) for row in rows)
    return numbered > 0 and numbered * 2 >= len([row for row in rows if row])


def _listing(rows: Sequence[str]) -> str:
    lines: list[str] = []
    for row in rows:
        if lines and not _NUMBERED_LINE.match(row):
            lines[-1] += _FOLDED.sub("", row, count=1)
        else:
            lines.append(row)
    return "\n".join(lines).strip("\n")
