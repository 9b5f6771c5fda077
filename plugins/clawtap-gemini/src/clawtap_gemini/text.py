"""Text from the rows of a box: inner boxes opened, wrapped lines joined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_core.screens import inner_boxes, paragraph_above, unwrap
from clawtap_gemini.screen.block import HIDDEN, shown
from clawtap_gemini.words import WORDS

_NUMBERED_LINE = re.compile(r" *\d+( |$)")
_BORDER = WORDS.pattern("text.border")
_REDIRECTION = WORDS.pattern("text.redirection")
_CODE_MARGIN = 6


def text_of(rows: Sequence[str], width: int) -> str:
    """Return all text of the rows in order, with that of inner boxes."""
    parts: list[str] = []
    end = 0
    for box in inner_boxes(rows):
        parts += [
            _paragraphs(rows[end : box.top], width),
            _unwrapped(box.rows, box.width - _CODE_MARGIN, code=True),
        ]
        end = box.bottom + 1
    parts.append(_paragraphs(rows[end:], width))
    return "\n".join(part for part in parts if part).strip("\n")


def with_top(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the rows with the top of an inner box in whose place a low pane has its note."""
    below = [row.startswith("│") and row.endswith("│") for row in rows[1:]]
    end = below.index(False) + 1 if False in below else 0
    if end < 2 or not HIDDEN.fullmatch(rows[0].strip()) or not _BORDER.fullmatch(rows[end]):
        return tuple(rows)
    width = len(rows[end])
    return (f"╭{'─' * (width - 2)}╮", f"│ {rows[0].strip():<{width - 4}} │", *rows[1:])


def _paragraphs(rows: Sequence[str], width: int) -> str:
    return _unwrapped(_without_border(rows), width)


def _without_border(rows: Sequence[str]) -> Sequence[str]:
    """Return the rows without the border of a box that a low pane has no room for.

    It is first, or below the note on the rows that are hidden.
    """
    at = int(bool(rows) and HIDDEN.fullmatch(rows[0].strip()) is not None)
    if len(rows) > at and _BORDER.fullmatch(rows[at]):
        return (*rows[:at], *rows[at + 1 :])
    return rows


def _unwrapped(rows: Sequence[str], width: int, *, code: bool = False) -> str:
    rows = shown(rows)
    return _listing(rows) if _is_listing(rows) else unwrap(rows, width, code=code)


def _is_listing(rows: Sequence[str]) -> bool:
    # In a diff, or a new file, most rows begin with a line number.
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


def _is_indented(rows: Sequence[str]) -> bool:
    return all(row.startswith("  ") or not row for row in rows)


def command_of(rows: Sequence[str], width: int) -> tuple[str, str]:
    """Return a command, and the CLI's notes below it."""
    # A command may draw a box itself: the CLI's own is as wide as the text can be, and nothing but
    # the rest of the tool's line stands above it.
    boxes = inner_boxes(rows)
    if len(boxes) == 1 and boxes[0].width == width and _is_indented(rows[: boxes[0].first - 1]):
        box = boxes[0]
        inner = unwrap(shown(box.rows), box.width - _CODE_MARGIN, code=True)
        rest = "" if inner else "\n".join(map(str.strip, rows[: box.top]))
        below = text_of(rows[box.bottom + 1 :], width)
        return inner, "\n".join(filter(None, (rest, below)))
    rows = _without_border(rows)
    last = paragraph_above(rows, len(rows))
    note = unwrap((rows[at] for at in last), width)
    if not _REDIRECTION.fullmatch(note):
        last, note = range(len(rows), len(rows)), ""
    return unwrap(shown(rows[: last.start]), width, code=True), note
