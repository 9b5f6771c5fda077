"""The CLI's own dialogs: trust, login, loops, quota, files outside, slash commands, new ones.

A dialog in the table gets its meaning there; any other list with a cursor is a question, with its
first line as the title.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clawtap_core import Kind, Option, PromptForm, Question, QuestionOption
from clawtap_core.screens import (
    Field,
    OptionRow,
    ParsedPrompt,
    cursor_row,
    digits,
    inner_boxes,
    paragraph_above,
    slugs,
    split_hint,
    unwrap,
)
from clawtap_gemini.screen.block import CUT, Block, relabelled
from clawtap_gemini.screen.dialog_table import UNKNOWN, Dialog, effect_of, known_dialog
from clawtap_gemini.text import text_of
from clawtap_gemini.words import WORDS

_MARK = re.compile(r"(\? {1,2}|> )")
_HEADINGS = re.compile(r" {3,}")
_OTHER_CURSOR = re.compile(r"● +\d+\. ")
_ESCAPES = WORDS.pattern("dialogs.escapes")
_KEYS = WORDS.pattern("dialogs.keys")
_SUBMITS = WORDS.pattern("dialogs.submits")
_SECRET = WORDS.pattern("dialogs.secret")
_UNTITLED = "The CLI asks"
# An entry of a list without numbers takes so many rows of the pane, and what is around them these.
_ENTRY, _AROUND = 4, 8


def read_dialog(block: Block) -> ParsedPrompt | None:
    """Read a dialog of the CLI itself."""
    if not block.options and _SUBMITS.search(block.hint):
        return _text_dialog(block)
    rows = block.options or _whole_groups(block)
    if not rows or sum(row.selected for row in rows) != 1:
        return None
    above = block.rows[: block.start if block.options else rows[0].first]
    if any(map(_OTHER_CURSOR.match, above)):
        return None  # of two lists one has the keys, and the text does not say which
    dialog = known_dialog(text_of(above, block.width), rows)
    title, words, about = _title(block, above, dialog)
    options = _options(dialog, rows)
    below = [row.strip() for row in block.rows[rows[-1].last + 1 :]]
    below = [row for row in below if row not in ("▼", "") and not _KEYS.fullmatch(row)]
    notes = text_of(below, block.width).strip()
    base = PromptForm(
        kind=dialog.kind,
        title=title,
        description="\n".join(part for part in (about, notes) if part),
        subject="\n".join((words, "" if block.box.whole else CUT, about, *_listed(block, dialog))),
        truncated=block.cut,
        more_options=block.scrolling if block.options else False,
        dialog=dialog.dialog,
        top=block.box.top,
    )
    form = _with_options(base, dialog, rows, options, words)
    labelled = tuple(relabelled(r, o.label) for r, o in zip(rows, options, strict=True))
    escape_denies = bool(_ESCAPES.search(" ".join(block.rows[rows[-1].last + 1 :])))
    keys = digits(labelled) if dialog.digits else ()
    return ParsedPrompt(
        form, labelled, keys, escape_denies=escape_denies or any(o.hint for o in options)
    )


def _listed(block: Block, dialog: Dialog) -> tuple[str, ...]:
    """Return the labels where they tell dialogs apart: a choice may open another list by this name.

    The dialogs in the table have names of their own, and of a list that scrolls others are in sight
    each time.
    """
    told_by_name = dialog.words is not UNKNOWN.words or block.scrolling
    return () if told_by_name else tuple(row.label for row in block.options)


def _options(dialog: Dialog, rows: tuple[OptionRow, ...]) -> tuple[Option, ...]:
    hinted = [split_hint(row.label) for row in rows]
    names = slugs(label for label, _ in hinted)
    return tuple(
        Option(name, label, effect_of(dialog, at, label), hint, row.description or None)
        for at, (name, (label, hint), row) in enumerate(zip(names, hinted, rows, strict=True))
    )


def _with_options(
    form: PromptForm,
    dialog: Dialog,
    rows: tuple[OptionRow, ...],
    options: tuple[Option, ...],
    words: str,
) -> PromptForm:
    at = next(at for at, row in enumerate(rows) if row.selected)
    if dialog.kind is not Kind.QUESTION:
        away = next((o.value for o in options if o.hint == dialog.dismissed_by), None)
        dismiss = away if dialog.dismissed_by else None
        return replace(form, options=options, selected=options[at].value, dismiss=dismiss)
    offered = tuple(QuestionOption(o.label, o.description) for o in options)
    asked = Question(words or form.title, options=offered)
    return replace(form, questions=(asked,), selected=options[at].label)


def _title(block: Block, rows: tuple[str, ...], dialog: Dialog) -> tuple[str, str, str]:
    """Return the title, the line it comes from, and what else is above the list."""
    rows = tuple(row.strip() for row in rows)
    if dialog.asks_last:
        asks = paragraph_above(rows, len(rows))
    else:
        first = next((at for at, row in enumerate(rows) if row), len(rows))
        asks = range(first, min(first + 1, len(rows)))
    words = unwrap((rows[at] for at in asks), block.width).replace("\n", " ")
    words = _HEADINGS.split(words)[0]
    if not words or (dialog.title and not block.box.whole and dialog.title not in words):
        return dialog.title or _UNTITLED, dialog.title, text_of(rows, block.width).strip()
    mark = _MARK.match(words)
    rest = text_of([row for at, row in enumerate(rows) if at not in asks], block.width)
    return words[mark.end() :] if mark else words, words, rest.strip()


def _whole_groups(block: Block) -> tuple[OptionRow, ...]:
    """Return the entries of a list without numbers; none where others may be out of sight.

    No mark says so: the CLI shows as many as the pane has room for.
    """
    entries = _groups(block)
    return entries if len(entries) < (block.screen.rows - _AROUND) // _ENTRY else ()


def _groups(block: Block) -> tuple[OptionRow, ...]:
    # A list without numbers: its entries are separated by blank rows.
    at = cursor_row(block.rows)
    if at is None or block.rows[at].startswith((">", " >")):
        return ()
    column = block.rows[at].index("●") + 2 if "●" in block.rows[at] else 0
    entries: list[OptionRow] = []
    row = len(block.rows)
    while column and row > 0:
        span = paragraph_above(block.rows, row)
        if not span or span.start == 0:
            break
        row = span.start
        first = block.rows[span.start]
        if first[:column].strip(" ●") or not first[column:].strip():
            if entries:
                break
            continue
        details = " ".join(block.rows[each].strip() for each in span[1:])
        label = first[column:].strip()
        entries.append(
            OptionRow(
                None, label, "●" in first[:column], None, details, span.start, span[-1], column
            )
        )
    return tuple(entries[::-1])


def _text_dialog(block: Block) -> ParsedPrompt | None:
    # A dialog with one text field in a box, like the one for an API key.
    boxes = inner_boxes(block.rows)
    if not boxes:
        return None
    field = boxes[-1]
    title, _, about = _title(block, block.rows[: field.top], UNKNOWN)
    shown = " ".join(row.strip() for row in field.rows).strip()
    empty = _is_empty(block, field.first)
    question = Question(
        question=title,
        input_type="text",
        secret=bool(_SECRET.search(title)),
        placeholder=shown if empty else None,
    )
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        description=about,
        subject=block.hint,
        truncated=block.cut,
        questions=(question,),
        dialog="login" if question.secret else None,
        top=block.box.top,
    )
    escape_denies = bool(_ESCAPES.search(block.hint))
    return ParsedPrompt(
        form, field=Field(True, "" if empty else shown), escape_denies=escape_denies
    )


def _is_empty(block: Block, row: int) -> bool:
    # In an empty field the cursor is on the first character.
    cursor = block.screen.cursor
    if cursor and cursor[1] == block.box.first + row:
        return cursor[0] <= block.box.left + 4
    style = block.style(row, 2)
    return style is None or bool(getattr(style, "inverse", False))
