"""Pages with a counter: the model's questions, and the fields and tools of MCP servers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawtap_codex.screen.block import BlockKind, PromptBlock
from clawtap_codex.text import CUT_ARGUMENT, label_rows, to_options
from clawtap_codex.words import WORDS
from clawtap_core import Effect, Kind, Position, PromptForm, Question, QuestionOption, Screen
from clawtap_core.screens import (
    Field,
    OptionRow,
    ParsedPrompt,
    digits,
    joined_rows,
    numbered_rows,
    style_at,
)
from clawtap_core.screens.columns import in_columns

NONE_OF_THEM = "None of the above"
# The seconds would be an update each: the page shows the sentence once.
_LAST_MINUTE = "Codex goes on without an answer in less than a minute."
_HEADER = WORDS.pattern("questions.header")
_FIELD = WORDS.pattern("questions.field")
_PLACEHOLDERS = WORDS.texts("questions.placeholders")
_TOOL = WORDS.pattern("questions.tool")
_CALL = WORDS.pattern("questions.call")
_OPTION_COUNT = WORDS.pattern("questions.option_count")
_NOTES = WORDS.pattern("questions.notes")
_NOTES_OPEN = WORDS.pattern("questions.notes_open")
_REQUIRED_MARK = WORDS.pattern("questions.required")
_BOOLEAN = WORDS.texts("questions.boolean")


@dataclass(frozen=True, slots=True)
class _Page:
    """The parts of a page: its paragraphs, its list and its text field.

    `more`: the list has more options than it shows. `cut`: the last of these may go on, too.
    """

    top: int
    header: re.Match[str]
    paragraphs: tuple[str, ...]
    options: tuple[OptionRow, ...]
    field: Field | None
    more: bool
    cut: bool = False


def read_question(block: PromptBlock) -> ParsedPrompt | None:
    """Parse a page whose header counts its questions or fields."""
    page = _page(block) if block.kind is BlockKind.FORM else None
    if page is None or not page.paragraphs or not (page.options or page.field):
        return None
    if page.options and sum(row.selected for row in page.options) > 1:
        return None
    if page.options and (match := _TOOL.fullmatch(page.paragraphs[0])):
        # 0.116 asks for this permission as a question.
        tool = f"{match['server']}.{match['tool']}"
        return _with_options(page, Kind.PERMISSION, tool, _call_arguments(block, page, tool))
    if page.header["what"] == "Question":
        return _question(page)
    labels = [row.label for row in page.options]
    if len(labels) > 1 and labels[0] == "Allow" and labels[-1] == "Cancel":
        # A request without fields can only be accepted or declined.
        return _with_options(page, Kind.QUESTION, None, None)
    return _field(page)


def _page(block: PromptBlock) -> _Page | None:
    header = None
    for row in range(block.end - 1, -1, -1):
        if header := _HEADER.fullmatch(block.rows[row]):
            break
    if header is None:
        return None
    rows = block.rows[row + 1 : block.end]
    field, end = _text_field(block, row + 1)
    above = rows[: end - row - 1]
    options = numbered_rows(above, block.screen.cols)
    if not options or any(row.strip() for row in above[options[-1].last + 1 :]):
        return _Page(row, header, _paragraphs(above), (), field, more=False)
    options = in_columns(above, options)
    count = _OPTION_COUNT.search(block.footer)
    more = options[0].number != 1 or (count is not None and int(count["total"]) > len(options))
    paragraphs = _paragraphs(above[: options[0].first])
    cut = more and _may_go_on(options[-1], block.screen.cols)
    return _Page(row, header, paragraphs, options, field, more, cut)


def _may_go_on(option: OptionRow, cols: int) -> bool:
    """Return True if more of an option may be below the rows of its list: a short one is whole."""
    return bool(option.last > option.first or option.description) or len(option.label) > cols // 2


def _text_field(block: PromptBlock, start: int) -> tuple[Field | None, int]:
    """Return the text field and its first row, or the footer's where no field is visible."""
    for row in range(block.end - 1, start - 1, -1):
        match = _FIELD.fullmatch(block.rows[row])
        if match and not _is_option(block, row):
            shown = [match["text"], *(line[4:] for line in block.rows[row + 1 : block.end])]
            text = (
                "" if _shows_placeholder(block.screen, row, shown[0]) else "\n".join(shown).strip()
            )
            # Notes of an answer to which somebody has gone back are shown below the list.
            left = _has_cursor(block, row) is False and bool(_NOTES_OPEN.search(block.footer))
            return Field(not left, text, key="Tab" if left else None), row
    if _NOTES_OPEN.search(block.footer):
        # A pane can be too small to show the field of open notes.
        return Field(True, None), block.end
    return (Field(False, key="Tab") if _NOTES.search(block.footer) else None), block.end


def _is_option(block: PromptBlock, row: int) -> bool:
    """Return True if a row with the mark is the selected option, not text that begins alike."""
    listed = numbered_rows((block.rows[row],), block.screen.cols)
    return bool(listed) and not _has_cursor(block, row)


def _has_cursor(block: PromptBlock, row: int) -> bool | None:
    """Return whether the cursor is in the text field that begins in this row, or None if unknown.

    A list has no cursor.
    """
    cursor, visible = block.screen.cursor, block.screen.cursor_visible
    if cursor is None or visible is None:
        return None
    return visible and row <= cursor[1] < block.end


def _shows_placeholder(screen: Screen, row: int, text: str) -> bool:
    if text.strip() and "\x1b" in screen.captured[row]:
        style = style_at(screen, row, 4)
        return bool(style and style.dim)
    # Without styles the CLI's own words tell.
    return text.strip() in ("", *_PLACEHOLDERS)


def _paragraphs(rows: Sequence[str]) -> tuple[str, ...]:
    paragraphs: list[list[str]] = [[]]
    for row in rows:
        if row.strip():
            paragraphs[-1].append(row.strip())
        elif paragraphs[-1]:
            paragraphs.append([])
    return tuple("\n".join(lines) for lines in paragraphs if lines)


def _join_lines(paragraph: str) -> str:
    return joined_rows(paragraph.split("\n"))


def _digit_keys(page: _Page, rows: Sequence[OptionRow]) -> tuple[tuple[str, str], ...]:
    # While the notes are open a digit is text.
    free = page.field is None or not page.field.focused
    return digits(rows) if free else ()


def _position(page: _Page) -> Position | None:
    index, total = int(page.header["index"]), int(page.header["total"])
    return Position(index, total) if total > 1 else None


def _selected(rows: Sequence[OptionRow]) -> OptionRow | None:
    return next((row for row in rows if row.selected), None)


def _question(page: _Page) -> ParsedPrompt:
    rows, selected = page.options, _selected(page.options)
    # A note on the last option is a free answer.
    other = any(row.label == NONE_OF_THEM for row in rows) and page.field is not None
    title = "\n".join(map(_join_lines, page.paragraphs))
    options = _to_question_options(rows)
    question = Question(title, options=options, other=other, notes=page.field is not None)
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        description=_LAST_MINUTE if page.header["countdown"] else "",
        subject=title,
        truncated=page.cut,
        tool_name="request_user_input",
        questions=(question,),
        more_options=page.more,
        selected=selected.label if selected else None,
        position=_position(page),
        top=page.top,
    )
    return ParsedPrompt(form, rows, _digit_keys(page, rows), page.field)


def _to_question_options(rows: Sequence[OptionRow]) -> tuple[QuestionOption, ...]:
    return tuple(QuestionOption(row.label, row.description or None) for row in rows)


def _field(page: _Page) -> ParsedPrompt:
    # One field of an MCP server's form.
    selected = _selected(page.options)
    boolean = tuple(row.label for row in page.options) == _BOOLEAN
    title = _join_lines(page.paragraphs[0])
    label, _, description = "\n".join(page.paragraphs[1:]).partition("\n")
    question = Question(
        question=_join_lines(description) or label or title,
        header=label if description else "",
        options=_to_question_options(page.options),
        input_type="boolean" if boolean else None if page.options else "text",
        required=bool(_REQUIRED_MARK.search(page.header["left"] or "")),
    )
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        subject="\n".join((title, label, description)),
        truncated=page.cut,
        questions=(question,),
        more_options=page.more,
        selected=selected.label if selected else None,
        position=_position(page),
        top=page.top,
    )
    return ParsedPrompt(form, page.options, _digit_keys(page, page.options), page.field)


def _with_options(
    page: _Page, kind: Kind, tool: str | None, tool_input: Mapping[str, Any] | None
) -> ParsedPrompt:
    options = to_options(page.options)
    rows = label_rows(page.options, options)
    selected = _selected(rows)
    chosen = next((o.value for o in options if selected and o.label == selected.label), None)
    title, *about = page.paragraphs
    arguments = "\n".join(about).split("\n") if tool else ()
    form = PromptForm(
        kind=kind,
        title=_join_lines(title),
        description="\n\n".join(about),
        truncated=page.cut or any(row.endswith(CUT_ARGUMENT) for row in arguments),
        tool_name=tool,
        tool_input=tool_input,
        options=options,
        more_options=page.more or options[-1].effect is not Effect.DENY,
        selected=chosen,
        position=_position(page),
        top=page.top,
    )
    return ParsedPrompt(form, rows, _digit_keys(page, rows))


def _call_arguments(block: PromptBlock, page: _Page, tool: str) -> Mapping[str, Any] | None:
    # 0.116 shows the whole call above the prompt.
    calls = (_CALL.fullmatch(block.rows[row]) for row in range(page.top - 1, -1, -1))
    call = next((call for call in calls if call), None)
    if call is None or call["name"] != tool:
        return None
    try:
        arguments = json.loads(call["input"])
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None
