"""The row of a list that takes free text: which one it is, its focus and its content."""

from __future__ import annotations

from clawtap_core.screens import Field, OptionRow, cells, digits, paragraph_above
from clawtap_gemini.screen.block import Block
from clawtap_gemini.words import WORDS

_FEEDBACK = WORDS.texts("free_text.feedback")
_CUSTOM = WORDS.texts("free_text.custom")
FEEDBACK = _FEEDBACK[0]
ALL = "All of the above"
_YES_NO = ["Yes", "No"]


def field_of(block: Block) -> Field | None:
    """Return the text field, the last row of a list, or None where there is none."""
    if not block.options:
        return None
    last = block.options[-1]
    if last.selected and _focused(block, last):
        return Field(True, "" if _is_empty(block, last) else _content(block, last), last)
    if not _takes_text(block, last):
        return None
    if not _is_empty(block, last):
        return Field(False, last.label, last)
    # The row's digit focuses the empty field; one that holds text would be sent by it.
    digit = dict(digits((last,))).get(last.label) if last.checked is None else None
    return Field(False, "", last, digit)


def _content(block: Block, row: OptionRow) -> str:
    end = paragraph_above(block.rows, len(block.rows)).start
    below = []
    for text in (text.strip() for text in block.rows[row.first + 1 : end]):
        if text == "▼" or (block.next_row and text == block.next_row.label):
            break
        below.append(text)
    first = block.rows[row.first][row.column :].strip()
    if not _ends_at_cursor(block, row):
        first = first.removesuffix("✓").rstrip()
    return "\n".join([first, *below]).strip()


def _ends_at_cursor(block: Block, row: OptionRow) -> bool:
    """Return whether all of the row was typed: the CLI's mark stands behind the cursor."""
    cursor, shown = block.screen.cursor, cells(block.rows[row.first].rstrip())
    if cursor is None or cursor[1] != block.box.first + row.first:
        return False
    return cursor[0] >= block.box.left + 2 + shown


def _focused(block: Block, row: OptionRow) -> bool:
    # While the CLI paints a long text, its cursor stands elsewhere: the hint tells then.
    if block.hint.startswith("Enter to submit") and row.number != 1:
        return True
    # The cursor is the terminal's, or one that the CLI draws.
    cursor = block.screen.cursor
    first, height = block.box.first, block.box.height
    if cursor and height == 1:
        return row.first <= cursor[1] - first <= row.last
    if height == 1 and block.styled:
        rows = range(first + row.first, first + row.last + 1)
        return any(span.style.inverse for at in rows for span in block.screen.spans(at))
    return False


def _takes_text(block: Block, last: OptionRow) -> bool:
    labels = [row.label for row in block.options]
    if last.description or (labels == _YES_NO and not block.scrolling):
        return False
    if last.label in (*_CUSTOM, *_FEEDBACK) or labels[-2:-1] == [ALL] or block.next_row:
        return True
    if not block.scrolling or (last.checked is None and block.shows_end):
        return True
    if last.checked is None and block.shows_end is False:
        return False
    return len(labels) > 1 and all(row.description for row in block.options[:-1])


def _is_empty(block: Block, row: OptionRow) -> bool:
    # An empty field shows its placeholder. The cursor then is on the first character; without
    # the cursor, the row has the colour of hints.
    cursor = block.screen.cursor
    if row.label == "":
        return True
    if row.selected and cursor and cursor[1] == block.box.first + row.first:
        return cursor[0] <= block.box.left + 2 + row.column
    if row.label in (*_CUSTOM, *_FEEDBACK):
        return True
    style = block.style(row.first, row.column)
    if row.selected:
        return bool(getattr(style, "inverse", False))
    hint = paragraph_above(block.rows, len(block.rows)).start
    grey = getattr(block.style(hint, 0), "fg", None)
    return grey is None or getattr(style, "fg", None) == grey


def placeholder_of(field: Field | None) -> str | None:
    """Return what an empty field shows, or None."""
    return field.row.label if field and field.row and not field.text else None
