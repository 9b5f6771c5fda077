"""The block that replaces the composer: a text, a list or a field, and a footer that names keys.

A prompt is the last block on the screen. A prompt that is only quoted has the composer and its
status line below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from clawtap_codex.text import repair_overpainted
from clawtap_codex.words import WORDS
from clawtap_core import Screen
from clawtap_core.screens import OptionRow, numbered_rows, style_at

_SEPARATORS = re.compile(r"[\s|·]+")
_FOOTER_ROWS = 3
_INDENT = "  "
_SCROLL_ARROWS = WORDS.texts("block.scroll_arrows")
_CONTINUATION = re.compile(r"[a-z]")
_LAST_DIGIT = 9
_NINTH = re.compile(rf"[› ] {_LAST_DIGIT}\. ")


class BlockKind(Enum):
    """What kind of prompt a block is, as its footer says."""

    APPROVAL = "approval"
    FORM = "form"
    LIST = "list"
    PAGE = "page"


_FOOTERS = (
    (WORDS.pattern("block.approval_footer"), BlockKind.APPROVAL),
    (WORDS.pattern("block.list_footer"), BlockKind.LIST),
    (WORDS.pattern("block.page_footer"), BlockKind.PAGE),
    (WORDS.pattern("block.form_footer"), BlockKind.FORM),
)


_WITHOUT_FOOTER = WORDS.texts("block.without_footer")
_FLOATING_WITHOUT_FOOTER = WORDS.texts("block.floating_without_footer")


@dataclass(frozen=True)
class PromptBlock:
    """A block on the screen; `end` is the first row of its footer, `left` its first column."""

    screen: Screen
    kind: BlockKind
    footer: str
    end: int
    left: int = 0

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """All rows above the footer, up to the top of the screen."""
        rows = self.screen.lines[: self.end]
        if self.left:
            rows = tuple("" if row[: self.left].strip() else row[self.left :] for row in rows)
        if self.kind is BlockKind.PAGE:
            return _join_wrapped_rows(rows)
        if self.kind is BlockKind.APPROVAL:
            # A list that scrolls has arrows at the left margin, where no text of a prompt starts.
            return repair_overpainted(["" if row in _SCROLL_ARROWS else row for row in rows])
        if self.kind is BlockKind.LIST:
            return _with_every_number(rows)
        return rows

    @cached_property
    def options(self) -> tuple[OptionRow, ...]:
        """The numbered list right above the footer, if there is one."""
        candidate = numbered_rows(self.rows, self.screen.cols)
        below = self.rows[candidate[-1].last + 1 :] if candidate else ()
        return () if any(row.strip() and row not in _SCROLL_ARROWS for row in below) else candidate

    @property
    def list_top(self) -> int:
        """The first row of the list, or of the footer."""
        return self.options[0].first if self.options else self.end

    def is_bold(self, row: int) -> bool:
        """Return True if the text of a row starts bold, as titles do."""
        style = style_at(self.screen, row, self.left + len(_INDENT))
        return bool(style and style.bold)

    def is_dim(self, row: int, column: int) -> bool | None:
        """Return whether a character is dim, as descriptions are, or None without styles."""
        style = style_at(self.screen, row, self.left + column)
        return style.dim if style else None


def find_block(screen: Screen) -> PromptBlock | None:
    """Find the block at the bottom of the screen, or the dialog drawn over the composer."""
    lines = screen.lines
    last = len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    return (
        _block_ending_at(screen, last)
        or _floating_dialog(screen, last)
        or _page_without_footer(screen, last)
    )


def _block_ending_at(screen: Screen, last: int, left: int = 0) -> PromptBlock | None:
    lines = [line[left:] for line in screen.lines[max(0, last - _FOOTER_ROWS) : last]]
    for count in range(1, len(lines) + 1):
        rows = lines[-count:]
        if not all(row.startswith(_INDENT) and row.strip() for row in rows):
            return None
        words = " | ".join(row.strip() for row in rows)
        squeezed = _SEPARATORS.sub("", words)
        for pattern, kind in _FOOTERS:
            if pattern.fullmatch(squeezed):
                return PromptBlock(screen, kind, words, last - count, left)
    return None


def _floating_dialog(screen: Screen, last: int) -> PromptBlock | None:
    for row in range(last - 1, -1, -1):
        line = screen.lines[row]
        left = len(line) - len(line.lstrip(" "))
        if not line.lstrip(" ").startswith("› ") or left < 2:
            continue
        # The selected row is inverse, as no text of the conversation is.
        style = style_at(screen, row, left)
        if style and style.inverse:
            ends = range(row + 2, last + 1)
            blocks = (_block_ending_at(screen, end, left) for end in ends)
            block = next((block for block in blocks if block), None)
            block = block or _floating_without_footer(screen, row, left)
            return block if block and block.kind is BlockKind.LIST else None
    return None


def _floating_without_footer(screen: Screen, selected: int, left: int) -> PromptBlock | None:
    below = range(selected, len(screen.lines))
    end = next((row for row in below if not screen.lines[row].strip()), len(screen.lines))
    block = PromptBlock(screen, BlockKind.LIST, "", end, left)
    titled = any(row.strip() in _FLOATING_WITHOUT_FOOTER for row in block.rows[: block.list_top])
    return block if titled and len(block.options) > 1 else None


def _page_without_footer(screen: Screen, last: int) -> PromptBlock | None:
    # A start-up dialog known to have no footer: its list is all that follows its title.
    block = PromptBlock(screen, BlockKind.PAGE, "", last)
    titled = any(row.strip() in _WITHOUT_FOOTER for row in screen.lines[: block.list_top])
    return block if titled and block.options and not screen.cursor_visible else None


def _with_every_number(rows: Sequence[str]) -> tuple[str, ...]:
    """Number the rows after the ninth, which no digit chooses: 0.171 leaves their numbers blank."""
    numbered = list(rows)
    starts = [at for at, row in enumerate(rows) if _NINTH.match(row)]
    number = _LAST_DIGIT + 1
    for at in range(starts[-1] + 1, len(rows)) if starts else ():
        blank = f"{number}. "
        row = numbered[at]
        if row[:1] in ("›", " ") and row[1 : len(blank) + 2].isspace():
            label = row[len(blank) + 2 :]
            if label[:1].strip():
                numbered[at] = f"{row[0]} {blank}{label}"
                number += 1
    return tuple(numbered)


def _join_wrapped_rows(rows: Sequence[str]) -> tuple[str, ...]:
    """Join rows of a page that continue at the left margin to the row before them."""
    whole = list(rows)
    for at in range(1, len(whole)):
        if _CONTINUATION.match(whole[at]) and whole[at - 1].startswith(_INDENT):
            whole[at - 1] += " " + whole[at]
            whole[at] = ""
    return tuple(whole)
