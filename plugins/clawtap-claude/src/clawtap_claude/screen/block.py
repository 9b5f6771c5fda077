"""Find the prompt's block: from its rule down to the end of the screen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from clawtap_claude.screen.composer import RULE, find_composer
from clawtap_claude.words import WORDS
from clawtap_core import Screen
from clawtap_core.screens import OptionRow, numbered_rows, style_at

CUT = "…"
CHAT = "Chat about this"
DOTS = WORDS.pattern("block.dots")
EDGE = WORDS.pattern("block.edge")
_INNER_RULE = WORDS.pattern("block.inner_rule")
_HIDDEN_LINES = WORDS.pattern("block.hidden_lines")
_CHAT = WORDS.pattern("block.chat")
_NAMED_RULE = WORDS.pattern("block.named_rule")
_LISTED = WORDS.pattern("block.listed")
_HISTORY = WORDS.texts("block.history")
_LOST_MARK = WORDS.pattern("block.lost_mark")
_LOOSE = 2
_TEXT = 3


@dataclass(frozen=True)
class Block:
    """The rows of a prompt. `first` is the screen row of `rows[0]`, `width` that of the rule.

    `whole` is false when the top has left the screen; the CLI then has no rule there.
    """

    screen: Screen
    rows: tuple[str, ...]
    first: int
    width: int
    whole: bool

    @cached_property
    def aligned(self) -> tuple[str, ...]:
        """The rows, with list rows aligned that the CLI drew too far left."""
        rows = _mend_cursor_marks(self.rows)
        column = _number_column([row for row in map(_LISTED.fullmatch, rows) if row])
        if column is None:
            return self.rows
        moved = [_align(row, column) for row in rows]
        return tuple(
            _below_squeezed(row, column) if at and rows[at - 1] != moved[at - 1] else row
            for at, row in enumerate(moved)
        )

    @cached_property
    def options(self) -> tuple[OptionRow, ...]:
        """The numbered rows of the list, without the CLI's check marks."""
        return numbered_rows(self.aligned, self.width, self.colour)

    @cached_property
    def footer(self) -> str:
        """The text below the list, which names keys."""
        after = self.options[-1].last + 1 if self.options else 0
        below = (row.strip() for row in self.rows[after:])
        return " ".join(row for row in below if row and not _HIDDEN_LINES.fullmatch(row))

    @cached_property
    def cut(self) -> bool:
        """Whether the top has left the screen."""
        return not self.whole or any(_HIDDEN_LINES.fullmatch(row) for row in self.rows)

    @property
    def cut_mark(self) -> str:
        """An ellipsis in place of the part above the screen."""
        return f"{CUT}\n" if self.cut else ""

    def colour(self, row: int, column: int) -> Hashable:
        """Return the colour of the character, or of the row's first one if it is blank."""
        text = self.screen.lines[self.first + row]
        if not text[column : column + 1].strip():
            column = len(text) - len(text.lstrip())
        style = style_at(self.screen, self.first + row, column)
        return (style.fg,) if style and self.styled else None

    @cached_property
    def styled(self) -> bool:
        """Whether the screen was captured with its styles."""
        return any("\x1b[" in line for line in self.screen.captured)

    def cursor_in(self, row: OptionRow) -> bool:
        """Return True if the terminal's or the drawn text cursor is in this row's text."""
        cursor = self.screen.cursor
        if cursor is not None:
            place = cursor[1] - self.first
            return row.first <= place <= row.last and cursor[0] >= row.column
        rows = range(self.first + row.first, self.first + row.last + 1)
        return any(span.style.inverse for at in rows for span in self.screen.spans(at))


def _number_column(listed: Sequence[re.Match[str]]) -> int | None:
    """Return the column of the numbers: two right of the cursor, or else where most begin."""
    if marked := [row for row in listed if row["mark"]]:
        return marked[-1].start("mark") + 2
    starts = Counter(row.start("rest") for row in listed)
    return max(starts, key=lambda column: (starts[column], column), default=None)


def _mend_cursor_marks(rows: Sequence[str]) -> list[str]:
    """Put a cursor mark that slipped to the next row back into its own."""
    mended = list(rows)
    for at in range(1, len(rows)):
        lost = _LOST_MARK.fullmatch(rows[at])
        above = lost and _LISTED.fullmatch(rows[at - 1])
        if lost and above and not above["mark"]:
            mended[at - 1] = f"{lost['lead']}❯ {above['rest']}"
            mended[at] = f"{lost['lead']}  {lost['text']}".rstrip()
    return mended


def _below_squeezed(row: str, column: int) -> str:
    """Return the row, indented like the text of the option above that was drawn too far left."""
    if not row.strip() or _LISTED.fullmatch(row):
        return row
    return " " * (column + _TEXT) + row.strip()


def _align(row: str, column: int) -> str:
    # Older versions squeeze a row that just fits.
    match = _LISTED.fullmatch(row)
    if match is None or not 0 <= column - match.start("rest") <= _LOOSE:
        return row
    mark = "❯ " if match["mark"] else ""
    return f"{mark:>{column}}{match['number']} {match['label']}"


def find_block(screen: Screen) -> Block | None:
    """Return the block at the end of the screen, or None while the composer is there."""
    if find_composer(screen):
        return None
    lines = _without_last_rule(screen.lines)
    top = _top(lines)
    rows = lines[0 if top is None else top + 1 :]
    numbered = [at for at, row in enumerate(rows) if _LISTED.fullmatch(row)]
    below = rows[numbered[-1] + 1 :] if numbered else ()
    if not any(rows) or any(row.startswith(_HISTORY) for row in below):
        return None
    rules = [row for row in rows if DOTS.fullmatch(row) or RULE.fullmatch(row)]
    width = len(lines[top]) if top is not None else max(map(len, rules), default=screen.cols)
    first = 0 if top is None else top + 1
    block = Block(screen, tuple(rows), first, width, top is not None)
    return block if top is not None or _ends_like_prompt(block) else None


def _without_last_rule(lines: Sequence[str]) -> Sequence[str]:
    """Return the rows down to the last with text, without the rule that names the session."""
    end = _end(lines, len(lines))
    named = end and _NAMED_RULE.fullmatch(lines[end - 1])
    return lines[: _end(lines, end - 1) if named else end]


def _end(lines: Sequence[str], end: int) -> int:
    return next((at for at in range(end, 0, -1) if lines[at - 1]), 0)


def _top(lines: Sequence[str]) -> int | None:
    """Return the row of the rule above the prompt, not of the one above its last row."""
    for row in range(len(lines) - 1, -1, -1):
        if EDGE.fullmatch(lines[row]):
            return row
        below = lines[row + 1] if row + 1 < len(lines) else ""
        if RULE.fullmatch(lines[row]) and not _CHAT.fullmatch(below):
            return row
    return None


_WELCOME = WORDS.pattern("block.welcome")
_ENDS = WORDS.pattern("block.ends")
_MARKS = WORDS.pattern("block.marks")
_REVIEW_ENDS = WORDS.pattern("block.review_ends")


def _ends_like_prompt(block: Block) -> bool:
    """Return True if a block without its rule ends like a prompt, or is the welcome page."""
    # Text that an assistant quotes is indented further than the CLI's own rows.
    if any(_WELCOME.match(row) for row in block.rows):
        return True
    if len(block.rows) > 1 and all(map(_REVIEW_ENDS.fullmatch, block.rows[-2:])):
        return True
    return any(_ENDS.match(row) for row in block.rows[-4:]) and any(
        _MARKS.match(row) for row in block.rows
    )


def inner_rules(rows: Sequence[str]) -> list[int]:
    """Return the rows that divide a block: dotted lines and inset rules."""
    return [at for at, row in enumerate(rows) if DOTS.fullmatch(row) or _INNER_RULE.fullmatch(row)]


def paragraph_above(rows: Sequence[str], end: int) -> range:
    """Return the last rows with text before `end`, up to a blank row or a dividing line."""
    while end > 0 and not rows[end - 1].strip():
        end -= 1
    start = end
    while start > 0 and rows[start - 1].strip() and not inner_rules(rows[start - 1 : start]):
        start -= 1
    return range(start, end)
