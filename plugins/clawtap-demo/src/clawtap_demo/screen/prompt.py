"""The prompt at the end of the screen: its header says which, its rows what can be chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from clawtap_core import (
    Effect,
    Kind,
    Option,
    Position,
    PromptForm,
    Question,
    QuestionOption,
    Screen,
    TextInput,
    hookimpl,
)
from clawtap_core.screens import slugs
from clawtap_demo.screen.block import Block, last_block, unfold
from clawtap_demo.screen.rows import Row, Rows, parse_rows

_EFFECTS = {"y": Effect.ALLOW_ONCE, "a": Effect.ALLOW_ALWAYS, "esc": Effect.DENY}
_HEADER_TEXT = re.compile(r"(?P<word>\w+)(?: (?P<index>\d+)/(?P<total>\d+))?")


@dataclass(frozen=True)
class Header:
    """What a header of the agent means."""

    kind: Kind
    tool_name: str | None = None
    dialog: str | None = None


_HEADERS = {
    "Command": Header(Kind.PERMISSION, tool_name="run_command"),
    "Edit": Header(Kind.PERMISSION, tool_name="edit_file"),
    "Plan": Header(Kind.PLAN),
    "Loop": Header(Kind.LOOP),
    "Question": Header(Kind.QUESTION),
    "Tip": Header(Kind.PERMISSION, dialog="editor-nudge"),
    "Folder": Header(Kind.PERMISSION, dialog="folder-trust"),
}


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt of the box at the end of the screen, where its header is known."""
    block = last_block(screen)
    match = _HEADER_TEXT.fullmatch(block.header or "") if block else None
    header = _HEADERS.get(match["word"]) if match else None
    if block is None or match is None or header is None or not block.subject:
        return None
    rows = _rows(block, header)
    position = Position(int(match["index"]), int(match["total"])) if match["index"] else None
    return _form(block, header, position, rows) if rows else None


def read_rows(screen: Screen) -> Rows | None:
    """Return the rows of the open prompt as they are on this screen."""
    block = last_block(screen)
    header = _HEADERS.get((block.header or "").split(" ")[0]) if block else None
    return _rows(block, header) if block and header else None


def _rows(block: Block, header: Header) -> Rows | None:
    return parse_rows(block.answers or (), hints=header.kind is not Kind.QUESTION)


def _form(block: Block, header: Header, position: Position | None, rows: Rows) -> PromptForm:
    blank = block.subject.index("") if "" in block.subject else len(block.subject)
    title, below = "".join(unfold(block.subject[:blank])), block.subject[blank + 1 :]
    shown = [line for line in below if not line.startswith("⋯ ")]
    truncated = len(shown) < len(below)
    description = "\n".join(unfold(shown)).removeprefix("$ ")
    is_question = header.kind is Kind.QUESTION
    options = () if is_question else _options(rows)
    # Putting a tip away decides nothing; whether to trust a folder is for the user to say.
    is_tip = header.dialog == "editor-nudge"
    denials = (option.value for option in options if option.effect is Effect.DENY)
    return PromptForm(
        header.kind,
        title,
        description,
        truncated=truncated,
        tool_name=header.tool_name,
        tool_input=None if truncated else _tool_input(header, title, description),
        options=options,
        more_options=rows.above or rows.below,
        text_input=None if is_question or not rows.text_row else TextInput(rows.text_row.label),
        questions=(_question(title, rows),) if is_question else (),
        selected=_selected(rows, options),
        position=position,
        dialog=header.dialog,
        dismiss=next(denials, None) if is_tip else None,
        top=block.top,
    )


def _options(rows: Rows) -> tuple[Option, ...]:
    offered = [row for row in rows.rows if not row.takes_text]
    return tuple(
        Option(
            value,
            row.label,
            _EFFECTS.get(row.hint or "", Effect.OTHER),
            row.hint,
            row.description,
        )
        for value, row in zip(slugs(row.label for row in offered), offered, strict=True)
    )


def _question(title: str, rows: Rows) -> Question:
    options = tuple(
        QuestionOption(row.label, row.description) for row in rows.rows if not row.takes_text
    )
    text = rows.text_row
    return Question(
        title,
        options=options,
        multi_select=any(row.mark.startswith("[") for row in rows.rows),
        other=bool(text and options),
        input_type=None if options else "text",
        secret=bool(text and text.mark == "⚿"),
    )


def _selected(rows: Rows, options: tuple[Option, ...]) -> str | None:
    row: Row | None = rows.rows[rows.selected] if rows.selected is not None else None
    if row is None or row.takes_text:
        return None
    option = next((option for option in options if option.label == row.label), None)
    return option.value if option else row.label


def _tool_input(header: Header, title: str, description: str) -> dict[str, Any] | None:
    if header.tool_name == "run_command":
        return {"command": description}
    if header.tool_name == "edit_file":
        path = title.removeprefix("Edit ").removesuffix("?")
        return {"path": path, "diff": description}
    return None
