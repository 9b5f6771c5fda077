"""From a screen to the normal form: what is asked, and what the agent does."""

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
    SeenState,
    SessionState,
    TextInput,
)
from clawtap_core.screens import slugs
from clawtap_demo.blocks import Block, last_block, unfold
from clawtap_demo.rows import Row, Rows, read_rows

_EFFECTS = {"y": Effect.ALLOW_ONCE, "a": Effect.ALLOW_ALWAYS, "esc": Effect.DENY}
_HEADER = re.compile(r"(?P<word>\w+)(?: (?P<index>\d+)/(?P<total>\d+))?")
_FOOTER = re.compile(r"mode (?P<mode>\S+) · model (?P<model>\S+)")
_SPINNER = re.compile(r"[\u2800-\u28ff] ")
_TOLD = re.compile(r" (?P<mark>[◆❯✻⚙✓✗·]) (?P<text>.*)")
ENDED = "◇ demo agent ended"


@dataclass(frozen=True)
class Sort:
    """What a header of the agent means."""

    kind: Kind
    tool_name: str | None = None
    dialog: str | None = None


_SORTS = {
    "Command": Sort(Kind.PERMISSION, tool_name="run_command"),
    "Edit": Sort(Kind.PERMISSION, tool_name="edit_file"),
    "Plan": Sort(Kind.PLAN),
    "Loop": Sort(Kind.LOOP),
    "Question": Sort(Kind.QUESTION),
    "Tip": Sort(Kind.PERMISSION, dialog="editor-nudge"),
    "Folder": Sort(Kind.PERMISSION, dialog="folder-trust"),
}


def read_prompt(screen: Screen) -> PromptForm | None:
    """The prompt at the end of the screen."""
    block = last_block(screen)
    header = _HEADER.fullmatch(block.header or "") if block else None
    sort = _SORTS.get(header["word"]) if header else None
    if block is None or header is None or sort is None:
        return None
    rows = _rows(block, sort)
    return _form(block, header, sort, rows) if rows and block.subject else None


def read_answers(screen: Screen) -> Rows | None:
    """The rows of the open prompt, as they are now."""
    block = last_block(screen)
    sort = _SORTS.get((block.header or "").split(" ")[0]) if block else None
    return _rows(block, sort) if block and sort else None


def read_state(screen: Screen) -> SeenState | None:
    """What the agent does now; None for a screen that is not one of its own."""
    block = last_block(screen)
    if block is None:
        return _without_block(screen)
    if block.header:
        return SeenState(SessionState.WAITING) if read_prompt(screen) else None
    told = screen.lines[: block.top]
    busy = bool(told) and _SPINNER.match(told[-1]) is not None
    words = _FOOTER.match(block.footer)
    streams = _last_told(told) if busy else {}
    return SeenState(
        SessionState.BUSY if busy else SessionState.IDLE,
        draft=_draft(block),
        streaming=streams.get("◆", ""),
        thinking=streams.get("✻", ""),
        mode=words["mode"] if words else None,
        model=words["model"] if words else None,
    )


def _rows(block: Block, sort: Sort) -> Rows | None:
    return read_rows(block.answers or (), hints=sort.kind is not Kind.QUESTION)


def _form(block: Block, header: re.Match[str], sort: Sort, rows: Rows) -> PromptForm:
    blank = block.subject.index("") if "" in block.subject else len(block.subject)
    title = "".join(unfold(block.subject[:blank]))
    told = [line for line in block.subject[blank + 1 :] if not line.startswith("⋯ ")]
    truncated = len(told) < len(block.subject[blank + 1 :])
    description = "\n".join(unfold(told)).removeprefix("$ ")
    position = Position(int(header["index"]), int(header["total"])) if header["index"] else None
    options = () if sort.kind is Kind.QUESTION else _options(rows)
    return PromptForm(
        sort.kind,
        title,
        description,
        truncated=truncated,
        tool_name=sort.tool_name,
        tool_input=None if truncated else _tool_input(sort, title, description),
        options=options,
        more_options=rows.above or rows.below,
        text_input=_text_input(rows) if sort.kind is not Kind.QUESTION else None,
        questions=(_question(title, rows),) if sort.kind is Kind.QUESTION else (),
        selected=_selected(rows, options),
        position=position,
        dialog=sort.dialog,
        dismiss=_dismiss(sort, options),
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


def _text_input(rows: Rows) -> TextInput | None:
    return TextInput(rows.text_row.label) if rows.text_row else None


def _selected(rows: Rows, options: tuple[Option, ...]) -> str | None:
    row: Row | None = rows.rows[rows.here] if rows.here is not None else None
    if row is None or row.takes_text:
        return None
    option = next((option for option in options if option.label == row.label), None)
    return option.value if option else row.label


def _dismiss(sort: Sort, options: tuple[Option, ...]) -> str | None:
    """A tip can be put away; whether to trust a folder is the user's to say."""
    if sort.dialog != "editor-nudge":
        return None
    return next((option.value for option in options if option.effect is Effect.DENY), None)


def _tool_input(sort: Sort, title: str, description: str) -> dict[str, Any] | None:
    if sort.tool_name == "run_command":
        return {"command": description}
    if sort.tool_name == "edit_file":
        path = title.removeprefix("Edit ").removesuffix("?")
        return {"path": path, "diff": description}
    return None


def _draft(block: Block) -> str:
    """What stands in the composer; its first column is the sign `>`, or `…` when it is cut."""
    return "\n".join(unfold(line[2:] for line in block.subject))


def _without_block(screen: Screen) -> SeenState | None:
    if not screen.text.strip():
        return SeenState(SessionState.STARTING)
    return SeenState(SessionState.ENDED) if ENDED in screen.lines else None


def _last_told(lines: tuple[str, ...]) -> dict[str, str]:
    """The last piece of the transcript, by its mark."""
    texts: list[str] = []
    for line in reversed(lines[:-1]):
        if found := _TOLD.fullmatch(line):
            return {found["mark"]: " ".join([found["text"], *reversed(texts)]).strip()}
        texts.append(line.strip())
    return {}
