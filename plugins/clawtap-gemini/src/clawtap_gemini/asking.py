"""Questions of the model in tabs, lists and text fields, and its plans: one dialog of the CLI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core import (
    Effect,
    Kind,
    Option,
    Position,
    PromptForm,
    Question,
    QuestionOption,
    TextInput,
)
from clawtap_core.reading import OptionRow, slugs
from clawtap_gemini.block import CUT, Block, paragraph_above, shown
from clawtap_gemini.reading import Field, Reading
from clawtap_gemini.wording import text_of

FEEDBACK = "Type your feedback..."
CUSTOM = "Enter a custom value"
ALL = "All of the above"
READY = "Ready to start implementation?"
SUBMIT, CANCEL = "Submit", "Cancel"
_HINT = re.compile(r"Enter to (select|submit)\b")
_PLAN_HINT = re.compile(r"\bto edit plan\b")
_HEADERS = re.compile(
    r"(?P<header>Answer Questions|Ready to start implementation\?)(\s+\d+ of \d+)?"
)
_TABS = re.compile(r"←.*│.*(→|…)")
_TAB = re.compile(r"(?P<mark>[□✓≡☐☑]) *(?P<name>\S[^│→]*)")
_TYPED = re.compile(r"> ?(?P<text>.*)")
_ALL = "(Select all that apply)"
_REVIEW = "Review your answers:"
_YES_NO = ["Yes", "No"]


@dataclass(frozen=True, slots=True)
class _Tabs:
    """What stands above a question: which tab is open, how many there are; `above` is an
    ellipsis where the beginning has left the screen."""

    header: str = ""
    position: Position | None = None
    above: str = ""


def read_dialog(block: Block) -> Reading | None:
    """A question, a plan or the review of the answers."""
    if not _HINT.match(block.hint):
        return None
    if block.options:
        if block.options[0].checked is None and block.options[0].gap < 2:
            return None
        rows, tabs = _words(block, block.rows[: block.start])
        planned = _PLAN_HINT.search(block.hint)
        return _plan(block, rows, tabs) if planned else _choice(block, rows, tabs)
    end = paragraph_above(block.rows, len(block.rows)).start
    rows, tabs = _words(block, block.rows[:end])
    if any(row.strip() == _REVIEW for row in rows):
        return _review(block, rows)
    return _text(block, rows, tabs)


def _words(block: Block, rows: Sequence[str]) -> tuple[list[str], _Tabs]:
    """The rows of the question itself, and the tabs above it."""
    kept, tabs = list(rows), _Tabs(above="" if block.box.whole else f"{CUT}\n")
    for at, row in enumerate(rows[:6]):
        text = row.strip()
        if _HEADERS.fullmatch(text):
            kept, tabs = list(rows[at + 1 :]), _Tabs()
        elif _TABS.fullmatch(text):
            kept, tabs = list(rows[at + 1 :]), _tabs(block, at, row)
    return kept, tabs


def _tabs(block: Block, at: int, row: str) -> _Tabs:
    """The open tab is the one drawn unlike the others."""
    found = [tab for tab in _TAB.finditer(row) if tab["mark"] != "≡"]
    for index, tab in enumerate(found):
        style = block.style(at, tab.start("name"))
        if style is not None and getattr(style, "underline", False):
            name = tab["name"].strip()
            return _Tabs("" if name.endswith("…") else name, Position(index + 1, len(found)))
    return _Tabs()


def _choice(block: Block, rows: Sequence[str], tabs: _Tabs) -> Reading:
    field = _field(block)
    chosen = tuple(row for row in block.options if field is None or row is not field.row)
    several = any(row.checked is not None for row in block.options)
    text = _asked(block, rows)
    question = Question(
        question=text,
        header=tabs.header,
        options=tuple(QuestionOption(row.label, row.description or None) for row in chosen),
        multi_select=several,
        other=field is not None or block.ends is not True,
        placeholder=_placeholder(field),
    )
    form = PromptForm(
        kind=Kind.QUESTION,
        title=_title(text),
        subject=tabs.above + text,
        truncated=block.cut,
        tool_name="ask_user",
        more_options=block.scrolling,
        questions=(question,),
        selected=next((row.label for row in chosen if row.selected), None),
        position=tabs.position,
        top=block.box.top,
    )
    return Reading(form, chosen, True, field, block.steer, escapes=True)


def _field(block: Block) -> Field | None:
    """The row for free text: the last of the list. A question for yes or no may have none."""
    last = block.options[-1]
    if last.selected and _focused(block, last):
        return Field(last, True, "" if _empty(block, last) else _held(block, last))
    if not _free(block, last):
        return None
    return Field(last, False, "" if _empty(block, last) else last.label)


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
    return block.hint.startswith("Enter to submit") and not row.description


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


def _placeholder(field: Field | None) -> str | None:
    return field.row.label if field and field.row and not field.text else None


def _asked(block: Block, rows: Sequence[str]) -> str:
    return text_of([row for row in rows if row.strip() != _ALL], block.width).strip()


def _title(text: str) -> str:
    """The question in one line: its last paragraph that asks, else its first."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    asking = [paragraph for paragraph in paragraphs if paragraph.endswith("?")]
    return (asking or paragraphs or ["Answer Questions"])[-1 if asking else 0]


def _plan(block: Block, rows: Sequence[str], tabs: _Tabs) -> Reading:
    field = _field(block)
    chosen = tuple(row for row in block.options if field is None or row is not field.row)
    options = plan_options(chosen)
    text = text_of(rows, block.width).strip("\n")
    form = PromptForm(
        kind=Kind.PLAN,
        title=READY,
        description=text,
        subject=f"{READY}\n{tabs.above}{text}",
        truncated=block.cut,
        tool_name="exit_plan_mode",
        options=options,
        more_options=block.scrolling,
        text_input=TextInput(_placeholder(field) or FEEDBACK),
        selected=next((o.value for o, r in zip(options, chosen, strict=True) if r.selected), None),
        top=block.box.top,
    )
    return Reading(form, chosen, True, field, escapes=True)


def plan_options(rows: Sequence[OptionRow]) -> tuple[Option, ...]:
    """The rows of a plan's list as options."""
    names = slugs(row.label for row in rows)
    return tuple(
        Option(name, row.label, _plan_effect(row), description=row.description or None)
        for name, row in zip(names, rows, strict=True)
    )


def _plan_effect(row: OptionRow) -> Effect:
    """To accept edits from then on is more than to accept this plan."""
    if not row.label.startswith("Yes"):
        return Effect.OTHER
    return Effect.ALLOW_ALWAYS if "automatically" in row.label else Effect.ALLOW_ONCE


def _text(block: Block, rows: Sequence[str], tabs: _Tabs) -> Reading | None:
    """A question with a text field of its own below it."""
    fields = [at for at, row in enumerate(rows) if row.startswith(">")]
    match = _TYPED.fullmatch(rows[fields[-1]]) if fields else None
    if match is None:
        return None
    at = fields[-1]
    typed = " ".join([match["text"].strip(), *(row.strip() for row in rows[at + 1 :])]).strip()
    offset = len(block.rows[: paragraph_above(block.rows, len(block.rows)).start]) - len(rows)
    empty = _field_empty(block, offset + at)
    text = _asked(block, rows[:at])
    question = Question(
        question=text,
        header=tabs.header,
        input_type="text",
        required=False,
        placeholder=typed if empty else None,
    )
    form = PromptForm(
        kind=Kind.QUESTION,
        title=_title(text),
        subject=tabs.above + text,
        truncated=block.cut,
        tool_name="ask_user",
        questions=(question,),
        position=tabs.position,
        top=block.box.top,
    )
    return Reading(form, field=Field(None, True, "" if empty else typed), escapes=True)


def _field_empty(block: Block, row: int) -> bool:
    """Whether the field shows its placeholder: the cursor is on the first character."""
    cursor = block.screen.cursor
    if cursor and block.box.height == 1 and cursor[1] == block.box.first + row:
        return cursor[0] <= block.box.left + 4
    return bool(getattr(block.style(row, 2), "inverse", False))


def _review(block: Block, rows: Sequence[str]) -> Reading:
    """The page after the last question: everything is sent, or given up."""
    text = "\n".join(row.strip() for row in shown(rows) if row.strip() and row.strip() != _REVIEW)
    question = Question(_REVIEW, options=(QuestionOption(SUBMIT), QuestionOption(CANCEL)))
    form = PromptForm(
        kind=Kind.QUESTION,
        title=_REVIEW,
        description=text,
        subject=f"{_REVIEW}\n{text}",
        truncated=block.cut,
        tool_name="ask_user",
        questions=(question,),
        selected=SUBMIT,
        top=block.box.top,
    )
    return Reading(form, review=True, escapes=True)
