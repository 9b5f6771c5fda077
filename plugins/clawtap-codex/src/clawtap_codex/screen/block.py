"""The block that stands in place of the composer: a text, a list or a field, and a footer of keys.

A prompt is the last thing on the screen, and its last rows name the keys. What quotes a prompt
has the composer and its status line below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from clawtap_codex.text import repaired
from clawtap_core import Screen
from clawtap_core.screens import OptionRow, numbered_rows, style_at

_MARKS = re.compile(r"[\s|·]+")
_FOOTER_ROWS = 3
_INDENT = "  "
_REST = re.compile(r"[a-z]")


class Family(Enum):
    """The sorts of blocks, told apart by their footers."""

    APPROVAL = "approval"
    FORM = "form"
    LIST = "list"
    PAGE = "page"


# A key may be bound anew: only what it does is certain. Matched without blanks and bars.
_KEY = r".{1,14}?"
_FOOTERS = (
    (
        re.compile(rf"Press{_KEY}toconfirmor{_KEY}tocancel(?:or{_KEY}toopenthread)?"),
        Family.APPROVAL,
    ),
    (re.compile(rf"Press{_KEY}toconfirmor{_KEY}togoback"), Family.LIST),
    (re.compile(rf"Press{_KEY}toselectreasoningeffort,or{_KEY}todismiss\.?"), Family.LIST),
    (re.compile(rf"{_KEY}select{_KEY}back"), Family.LIST),
    (re.compile(rf"{_KEY}default{_KEY}session{_KEY}back"), Family.LIST),
    (re.compile(rf"{_KEY}continue{_KEY}(?:back|skip)"), Family.PAGE),
    (re.compile(rf"{_KEY}confirm{_KEY}(?:skip|quit)"), Family.PAGE),
    (re.compile(r"[Pp]ress[Ee]ntertocontinue"), Family.PAGE),
    (
        re.compile(
            r"(?:option\d+/\d+)?(?:.{1,8}toaddnotes|.{1,14}toclearnotes)?"
            rf"{_KEY}tosubmit(?:answer|all)?(?:.{{1,40}})?"
        ),
        Family.FORM,
    ),
)


@dataclass(frozen=True)
class Block:
    """A block on the screen: `end` is the row where its footer begins, `left` its first column."""

    screen: Screen
    family: Family
    footer: str
    end: int
    left: int = 0

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The rows above the footer, as far up as the screen goes."""
        rows = self.screen.lines[: self.end]
        if self.left:
            rows = tuple("" if row[: self.left].strip() else row[self.left :] for row in rows)
        if self.family is Family.PAGE:
            return _unfolded(rows)
        return repaired(rows) if self.family is Family.APPROVAL else rows

    @cached_property
    def options(self) -> tuple[OptionRow, ...]:
        """The list that stands right above the footer; none where something else stands there."""
        found = numbered_rows(self.rows, self.screen.cols)
        if not found or any(row.strip() for row in self.rows[found[-1].last + 1 :]):
            return ()
        return found

    @property
    def top_of_list(self) -> int:
        """The row where the list begins."""
        return self.options[0].first if self.options else self.end

    def bold(self, row: int) -> bool:
        """Whether the text of a row begins bold, as titles do."""
        style = style_at(self.screen, row, self.left + len(_INDENT))
        return bool(style and style.bold)

    def dim(self, row: int, column: int) -> bool | None:
        """Whether a character is dim, as descriptions are; None when nobody knows."""
        style = style_at(self.screen, row, self.left + column)
        return style.dim if style else None


def find_block(screen: Screen) -> Block | None:
    """The block at the bottom of the screen, or the dialog that floats above the composer."""
    lines = screen.lines
    last = len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    return _at(screen, last) or _floating(screen, last)


def _at(screen: Screen, last: int, left: int = 0) -> Block | None:
    lines = [line[left:] for line in screen.lines[max(0, last - _FOOTER_ROWS) : last]]
    for count in range(1, len(lines) + 1):
        rows = lines[-count:]
        if not all(row.startswith(_INDENT) and row.strip() for row in rows):
            return None
        words = " | ".join(row.strip() for row in rows)
        if family := _family(words):
            return Block(screen, family, words, last - count, left)
    return None


def _family(words: str) -> Family | None:
    squeezed = _MARKS.sub("", words)
    for pattern, family in _FOOTERS:
        if pattern.fullmatch(squeezed):
            return family
    return None


def _floating(screen: Screen, last: int) -> Block | None:
    """A dialog drawn over the composer: its selected row is inverse, which no text can be."""
    for row in range(last - 1, -1, -1):
        line = screen.lines[row]
        left = len(line) - len(line.lstrip(" "))
        if not line.lstrip(" ").startswith("› ") or left < 2:
            continue
        style = style_at(screen, row, left)
        if style and style.inverse:
            return _below(screen, row, last, left)
    return None


def _below(screen: Screen, row: int, last: int, left: int) -> Block | None:
    for end in range(row + 2, last + 1):
        if found := _at(screen, end, left):
            return found if found.family is Family.LIST else None
    return None


def _unfolded(rows: Sequence[str]) -> tuple[str, ...]:
    """Rows of a page whose rest begins at the very left, joined to what they go on from."""
    whole = list(rows)
    for at in range(1, len(whole)):
        if _REST.match(whole[at]) and whole[at - 1].startswith(_INDENT):
            whole[at - 1] += " " + whole[at]
            whole[at] = ""
    return tuple(whole)
