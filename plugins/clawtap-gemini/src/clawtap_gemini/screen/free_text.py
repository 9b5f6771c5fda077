"""The row for free text in a list: which one it is, whether keys go into it, what it holds."""

from __future__ import annotations

from clawtap_core.screens import Field, OptionRow, digits
from clawtap_gemini.screen.block import Block, paragraph_above

FEEDBACK = "Type your feedback..."
CUSTOM = "Enter a custom value"
ALL = "All of the above"
_YES_NO = ["Yes", "No"]


def field_of(block: Block) -> Field | None:
    """The row for free text: the last of the list. A question for yes or no may have none."""
    last = block.options[-1]
    if last.selected and _focused(block, last):
        return Field(True, "" if _empty(block, last) else _held(block, last), last)
    if not _free(block, last):
        return None
    empty = _empty(block, last)
    return Field(False, "" if empty else last.label, last, _opens(last) if empty else None)


def _opens(row: OptionRow) -> str | None:
    """The digit that puts the cursor into an empty field; a filled one it would send."""
    return dict(digits((row,))).get(row.label) if row.checked is None else None


def _held(block: Block, row: OptionRow) -> str:
    """All that the field holds, down to Done, the scroll mark or the hint."""
    end = paragraph_above(block.rows, len(block.rows)).start
    below = []
    for text in (text.strip() for text in block.rows[row.first + 1 : end]):
        if text == "▼" or (block.steer and text == block.steer.label):
            break
        below.append(text)
    first = block.rows[row.first][row.column :].strip().removesuffix("✓").rstrip()
    return "\n".join([first, *below]).strip()


def _focused(block: Block, row: OptionRow) -> bool:
    """Whether keys go into this row: the terminal's cursor is in it, or one drawn by the CLI."""
    cursor = block.screen.cursor
    first, height = block.box.first, block.box.height
    if cursor and height == 1:
        return row.first <= cursor[1] - first <= row.last
    if height == 1 and block.styled:
        rows = range(first + row.first, first + row.last + 1)
        return any(span.style.inverse for at in rows for span in block.screen.spans(at))
    return block.hint.startswith("Enter to submit") and row.number != 1


def _free(block: Block, last: OptionRow) -> bool:
    """Whether the last row in view is the one for free text, which the CLI puts last."""
    labels = [row.label for row in block.options]
    if last.description or (labels == _YES_NO and not block.scrolling):
        return False
    if last.label in (CUSTOM, FEEDBACK) or labels[-2:-1] == [ALL] or block.steer:
        return True
    if not block.scrolling or (last.checked is None and block.ends):
        return True
    if last.checked is None and block.ends is False:
        return False
    return len(labels) > 1 and all(row.description for row in block.options[:-1])


def _empty(block: Block, row: OptionRow) -> bool:
    """Whether the row shows what could be typed, and holds nothing yet.

    The cursor then stands on the first character; away from the cursor, the CLI draws it in
    the colour of hints.
    """
    if row.label in ("", CUSTOM, FEEDBACK):
        return True
    cursor = block.screen.cursor
    if row.selected and cursor and cursor[1] == block.box.first + row.first:
        return cursor[0] <= block.box.left + 2 + row.column
    style = block.style(row.first, row.column)
    if row.selected:
        return bool(getattr(style, "inverse", False))
    hint = paragraph_above(block.rows, len(block.rows)).start
    grey = getattr(block.style(hint, 0), "fg", None)
    return grey is None or getattr(style, "fg", None) == grey


def placeholder_of(field: Field | None) -> str | None:
    """What an empty field shows."""
    return field.row.label if field and field.row and not field.text else None
