"""The last row of a list, where it takes free text: its focus and its content."""

from __future__ import annotations

import re

from clawtap_copilot.screen.block import OPTION, Block
from clawtap_copilot.words import WORDS
from clawtap_core.screens import Field, OptionRow, style_at

_STOP = WORDS.pattern("permissions.stop")
_STOP_HINT = WORDS.texts("permissions.stop_hint")
_COLUMNS = re.compile(r"(?P<left>.*?\S)?(?: {2,}(?P<right>\S+(?: \S+)*))?")
_EMPTY = (
    *WORDS.texts("permissions.feedback"),
    *WORDS.texts("plans.feedback"),
    *WORDS.texts("questions.other"),
)


def field_of(block: Block) -> Field | None:
    """Return the text field, or None where the last row is an option like the others."""
    if not block.options:
        return None
    row = block.options[-1]
    stop = _STOP.fullmatch(row.label)
    left_of_hint = _text_left_of_hint(block, row)
    text = row.label if left_of_hint is None else left_of_hint
    text = stop["label"] if stop else text
    empty = text in _EMPTY
    if not (stop or left_of_hint is not None or empty or _has_own_colour(block, row)):
        return None
    # Its digit only moves the cursor there.
    return Field(
        row.selected, "" if empty else text, row, None if row.selected else str(row.number)
    )


def _text_left_of_hint(block: Block, row: OptionRow) -> str | None:
    """Return the text of a row that has the hint in a column of its own, as in a narrow pane."""
    lines = [OPTION.sub("", line, count=1) for line in block.rows[row.first : row.last + 1]]
    columns = [match for line in lines if (match := _COLUMNS.fullmatch(line.rstrip()))]
    if " ".join(filter(None, (match["right"] for match in columns))) not in _STOP_HINT:
        return None
    return " ".join(match["left"].strip() for match in columns if match["left"])


def _has_own_colour(block: Block, row: OptionRow) -> bool:
    """Return True if a row with the cursor is not drawn in the cursor's colour: it was typed."""
    line = block.rows[row.first]
    mark = OPTION.match(line)
    if not row.selected or mark is None:
        return False
    # A text of several rows has other blanks around its number.
    column = len(line) - len(line[mark.end() :].lstrip())
    at, left = block.first + row.first, block.box.left + 2
    text = style_at(block.screen, at, left + column)
    number = style_at(block.screen, at, left + mark.start("number"))
    return text is not None and number is not None and text.fg != number.fg
