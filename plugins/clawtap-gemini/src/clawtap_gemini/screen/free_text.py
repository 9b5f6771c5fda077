"""The row of a list that takes free text: which one it is, its focus and its content."""

from __future__ import annotations

from clawtap_core.screens import Field, OptionRow, digits
from clawtap_gemini.screen.block import Block, paragraph_above

FEEDBACK = "Type your feedback..."
CUSTOM = "Enter a custom value"
ALL = "All of the above"
_YES_NO = ["Yes", "No"]


def field_of(block: Block) -> Field | None:
    """Return the row for free text, the last of a list; a yes or no question may have none."""
    last = block.options[-1]
    if last.selected and _focused(block, last):
        return Field(True, "" if _is_empty(block, last) else _content(block, last), last)
    if not _takes_text(block, last):
        return None
    empty = _is_empty(block, last)
    return Field(False, "" if empty else last.label, last, _focusing_digit(last) if empty else None)


def _focusing_digit(row: OptionRow) -> str | None:
    """Return the digit that focuses the field; a field that holds text would be sent by it."""
    return dict(digits((row,))).get(row.label) if row.checked is None else None


def _content(block: Block, row: OptionRow) -> str:
    """Return what the field holds, down to Done, the scroll mark or the hint."""
    end = paragraph_above(block.rows, len(block.rows)).start
    below = []
    for text in (text.strip() for text in block.rows[row.first + 1 : end]):
        if text == "▼" or (block.steer and text == block.steer.label):
            break
        below.append(text)
    first = block.rows[row.first][row.column :].strip().removesuffix("✓").rstrip()
    return "\n".join([first, *below]).strip()


def _focused(block: Block, row: OptionRow) -> bool:
    """Return whether the cursor is in this row: the terminal's, or one that the CLI draws."""
    cursor = block.screen.cursor
    first, height = block.box.first, block.box.height
    if cursor and height == 1:
        return row.first <= cursor[1] - first <= row.last
    if height == 1 and block.styled:
        rows = range(first + row.first, first + row.last + 1)
        return any(span.style.inverse for at in rows for span in block.screen.spans(at))
    return block.hint.startswith("Enter to submit") and row.number != 1


def _takes_text(block: Block, last: OptionRow) -> bool:
    """Return whether the last row in view takes free text; the CLI puts that row last."""
    labels = [row.label for row in block.options]
    if last.description or (labels == _YES_NO and not block.scrolling):
        return False
    if last.label in (CUSTOM, FEEDBACK) or labels[-2:-1] == [ALL] or block.steer:
        return True
    if not block.scrolling or (last.checked is None and block.shows_end):
        return True
    if last.checked is None and block.shows_end is False:
        return False
    return len(labels) > 1 and all(row.description for row in block.options[:-1])


def _is_empty(block: Block, row: OptionRow) -> bool:
    """Return whether the row shows its placeholder."""
    # The cursor then stands on the first character; without the cursor, the row has the colour
    # of hints.
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
    """Return what an empty field shows."""
    return field.row.label if field and field.row and not field.text else None
