"""Read a captured line as plain text and styled spans.

Source: `tmux capture-pane -p -e`, which writes SGR sequences and, from tmux 3.4 on, OSC 8 links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_()].?)")
_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_HIDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# What tmux prints between two shifts is of the terminal's other character set, in which letters
# are lines of boxes.
_SHIFTED = re.compile(r"\x0e([^\x0f]*)\x0f?")
_LINES = str.maketrans("+,-.0`afghijklmnopqrstuvwxyz{|}~", "→←↑↓▮◆▒°±▒␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")


@dataclass(frozen=True, slots=True)
class Style:
    """How a span is drawn. Colours: "0".."255" of the palette, "#rrggbb", or None for default."""

    fg: str | None = None
    bg: str | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False
    strike: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style."""

    text: str
    style: Style


PLAIN = Style()
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 9: "strike"}
_OFF = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    27: ("inverse",),
    29: ("strike",),
}


def plain(text: str) -> str:
    """Return the text without escape sequences and control characters, except tab and newline."""
    return _CONTROL.sub("", _ESCAPE.sub("", text)) if not text.isprintable() else text


def with_lines(text: str) -> str:
    """Return a captured text with the lines that it draws by letters, as dialogs of ncurses do."""
    return _SHIFTED.sub(_drawn, text) if "\x0e" in text else text


def _drawn(shifted: re.Match[str]) -> str:
    # The letters of escape sequences draw nothing.
    parts = re.split(f"({_ESCAPE.pattern})", shifted[1])
    return "".join(part if at % 2 else part.translate(_LINES) for at, part in enumerate(parts))


def exact(text: str) -> str:
    """Spell out every character that hides or reorders others, and remove none.

    What a CLI asks to do must not hide in an escape sequence, which runs as any other text.
    """
    return _HIDING.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text.replace("\r\n", "\n"))


def printable_line(text: str, longest: int) -> str:
    """Return the text in one line of printable characters, cut to the longest length."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(shown.split())[:longest]


def spans(rows: Sequence[str]) -> Iterator[tuple[Span, ...]]:
    """Yield the styled spans of each captured row; a style continues into the next row."""
    style = PLAIN
    for row in rows:
        row_spans, style = _row_spans(row, style)
        yield row_spans


# Most rows are on the next screen too.
@lru_cache(512)
def _row_spans(row: str, style: Style) -> tuple[tuple[Span, ...], Style]:
    """Return the spans of a row that begins in a style, and the style at its end."""
    row_spans, at = [], 0
    for match in _SGR.finditer(row):
        if text := plain(row[at : match.start()]):
            row_spans.append(Span(text, style))
        style, at = _apply(style, match[1]), match.end()
    if text := plain(row[at:]):
        row_spans.append(Span(text, style))
    return tuple(row_spans), style


@lru_cache(512)
def _apply(style: Style, parameters: str) -> Style:
    codes = [int(code) for code in re.split("[;:]", parameters or "0") if code] or [0]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = PLAIN
        elif code in (38, 48):
            colour = _extended(codes)
            style = replace(style, fg=colour) if code == 38 else replace(style, bg=colour)
        else:
            style = _simple(style, code)
    return style


def _simple(style: Style, code: int) -> Style:
    if name := _ON.get(code):
        return _with(style, {name: True})
    if names := _OFF.get(code):
        return _with(style, dict.fromkeys(names, False))
    if code in (39, 49):
        return replace(style, fg=None) if code == 39 else replace(style, bg=None)
    for base, first, attribute in ((30, 0, "fg"), (90, 8, "fg"), (40, 0, "bg"), (100, 8, "bg")):
        if base <= code < base + 8:
            return _with(style, {attribute: str(code - base + first)})
    return style


def _with(style: Style, changes: dict[str, Any]) -> Style:
    return replace(style, **changes)


def _extended(codes: list[int]) -> str | None:
    kind = codes.pop(0) if codes else 0
    if kind == 5 and codes:
        return str(codes.pop(0) & 255)
    if kind == 2 and len(codes) >= 3:
        red, green, blue = (codes.pop(0) & 255 for _ in range(3))
        return f"#{red:02x}{green:02x}{blue:02x}"
    codes.clear()
    return None
