"""Parse the model's questions, one tab each, and the page that reviews the answers."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from clawtap_claude.screen.block import CHAT, CUT, Block, paragraph_above
from clawtap_claude.screen.composer import RULE
from clawtap_claude.text import prose
from clawtap_claude.words import WORDS
from clawtap_core import Kind, Position, PromptForm, Question, QuestionOption
from clawtap_core.screens import (
    Field,
    OptionRow,
    ParsedPrompt,
    digits,
    inner_boxes,
    numbered_rows,
    style_at,
    unwrap,
    without_side_boxes,
)

TOOL = "AskUserQuestion"
_REVIEW_TITLES = WORDS.texts("questions.review")
REVIEW = _REVIEW_TITLES[0]
_REVIEW_ASKS = WORDS.texts("questions.review_asks")
SUBMIT, CANCEL = "Submit answers", "Cancel"
_FREE = WORDS.pattern("questions.free")
_FOOTER = WORDS.pattern("questions.footer")
_CHIP = re.compile(r"(?P<mark>[☐☒☑✔]) (?P<name>[^☐☒☑✔←→]*[^☐☒☑✔←→\s])")
_TABS = WORDS.pattern("questions.tabs")
_ROW = WORDS.pattern("questions.row")
_STEER = WORDS.pattern("questions.steer")
_NOTES = WORDS.pattern("questions.notes")
_WRITES_NOTES, _NO_NOTES = (
    WORDS.pattern("questions.writes_notes"),
    WORDS.pattern("questions.no_notes"),
)
_DESCRIPTION = WORDS.pattern("questions.description")
_SCROLL_MARK = WORDS.pattern("questions.scroll_mark")
_NUMBER = re.compile(r"\d+")
_TEXT_COLUMN = 9


@dataclass(frozen=True, slots=True)
class _Tabs:
    """The chips above a question: the open one and its position.

    `may_go_on`: another page may follow, or the chips are out of sight. `unanswered` are the
    positions of those without a tick.
    """

    header: str = ""
    position: Position | None = None
    row: int = -1
    may_go_on: bool = True
    unanswered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _OptionList:
    """The numbered rows of a question, and the row that leads on, if there is one.

    `block` is the prompt's, with blanks in place of scroll marks; `plain` are its rows down to the
    end of the list, without the boxes beside it. `below`: more rows are there, out of sight;
    `scrolls`: the cursor brings rows into view.
    """

    block: Block
    plain: Sequence[str]
    rows: tuple[OptionRow, ...]
    next_row: OptionRow | None
    below: bool
    scrolls: bool


@dataclass(frozen=True)
class ParsedQuestion(ParsedPrompt):
    """A question.

    `scrolls`: rows out of sight come into view with the cursor. `notes` is the text in the field
    for notes while keys go into it, None otherwise.
    """

    scrolls: bool = False
    notes: str | None = None

    @property
    def visible_state(self) -> Hashable:
        """The list and the notes."""
        return super().visible_state, self.notes


def read_question(block: Block) -> ParsedPrompt | None:
    """Parse a question, or the review of all answers."""
    tabs = _tabs(block)
    if review := _review(block, tabs):
        return review
    at = next((at for at in range(1, len(block.rows)) if _is_chat(block.rows, at)), None)
    if at is None or not _FOOTER.search(" ".join(row.strip() for row in block.rows[at + 1 :])):
        return None
    if block.whole and tabs.row < 0:
        return None
    listed = _option_list(block, tabs, at)
    return _question(listed, tabs, at) if listed else None


def _is_chat(rows: Sequence[str], at: int) -> bool:
    return rows[at].endswith(CHAT) and bool(RULE.fullmatch(rows[at - 1]))


def _tabs(block: Block) -> _Tabs:
    at = next((at for at in range(min(2, len(block.rows))) if _CHIP.search(block.rows[at])), -1)
    if at < 0:
        return _Tabs()
    row = block.rows[at]
    chips = [chip for chip in _CHIP.finditer(row) if chip["mark"] != "✔"]
    if not chips:
        return _Tabs(row=at)
    if not _TABS.fullmatch(row.strip()):
        return _Tabs(chips[0]["name"].strip(), row=at, may_go_on=False)
    index = _open_tab(block, at, chips)
    position = Position(index + 1, len(chips)) if len(chips) > 1 else None
    unanswered = tuple(n for n, chip in enumerate(chips, 1) if chip["mark"] == "☐")
    return _Tabs(chips[index]["name"].strip(), position, at, unanswered=unanswered)


def _open_tab(block: Block, at: int, chips: Sequence[re.Match[str]]) -> int:
    # It is drawn unlike the others; without colours, it is the first unanswered one.
    for index, chip in enumerate(chips):
        style = style_at(block.screen, block.first + at, chip.start("name"))
        if style is not None and style.bg is not None:
            return index
    return next((i for i, chip in enumerate(chips) if chip["mark"] == "☐"), len(chips) - 1)


def _option_list(block: Block, tabs: _Tabs, chat: int) -> _OptionList | None:
    """Return the list above the row `chat`, or None if its first row is missing without reason."""
    marks = [_SCROLL_MARK.match(row) for row in block.rows]
    if scrolls := any(marks):
        # A list longer than its window has these in place of blanks.
        plain_rows = (
            f" {row[1:]}" if at else row for row, at in zip(block.rows, marks, strict=True)
        )
        block = replace(block, rows=tuple(plain_rows))
    # The notes of a preview are below it.
    previews = _has_preview(block)
    above = tuple(
        match["lead"].rstrip() if previews and (match := _NOTES.fullmatch(row)) else row
        for row in block.aligned[: chat - 1]
    )
    plain = without_side_boxes(above)
    next_row = _next_row(plain)
    listed = plain if next_row is None else (*plain[: next_row.first], "")
    # The CLI draws some descriptions too far left.
    indented = tuple(
        " " * _TEXT_COLUMN + row.strip() if _DESCRIPTION.fullmatch(row) else row for row in listed
    )
    rows = numbered_rows(indented, block.width, block.colour)
    last = int(found[0]) if (found := _NUMBER.search(block.rows[chat])) else 0
    below = bool(rows and last) and rows[-1].number != last - 1
    if not (next_row or (below and tabs.may_go_on)):
        # A list of boxes has a row that leads on: without it, a label only begins like a box.
        rows = numbered_rows(indented, block.width, block.colour, boxed=False)
    if not rows or not (rows[0].number == 1 or block.cut or block.screen.alternate):
        return None
    scrolls |= below or (bool(block.screen.alternate) and rows[0].number != 1)
    return _OptionList(block, plain, rows, next_row, below, scrolls)


def _question(listed: _OptionList, tabs: _Tabs, chat: int) -> ParsedPrompt | None:
    block, rows, next_row, below = listed.block, listed.rows, listed.next_row, listed.below
    text = _text(block, listed.plain[tabs.row + 1 : rows[0].first])
    field = None if below else _field(block, rows)
    chosen = tuple(row for row in rows if field is None or row is not field.row)
    # With its number, where an answer has the same label.
    drawn = block.rows[chat].removeprefix("❯").strip()
    label = drawn if any(row.label == CHAT for row in chosen) else CHAT
    aside = OptionRow(None, label, block.rows[chat].startswith("❯"), first=chat, last=chat)
    if aside.selected:
        chosen = tuple(replace(row, selected=False) for row in chosen)
        next_row = replace(next_row, selected=False) if next_row else None
    chosen = (*chosen, aside)
    others = [row for row in (field.row if field else None, next_row) if row]
    if sum(row.selected for row in (*chosen, *others)) != 1 and not aside.selected:
        return None
    preview = _preview(block)
    asked = Question(
        question=text,
        header=tabs.header,
        # The CLI shows the preview of the selected answer only.
        options=tuple(
            QuestionOption(row.label, row.description or None, preview if row.selected else None)
            for row in chosen
        ),
        multi_select=rows[0].checked is not None,
        other=field is not None or below,
        placeholder=rows[-1].label if field and not field.text else None,
    )
    form = replace(
        _form(block, tabs, asked),
        more_options=rows[0].number != 1 or below,
        selected=next((row.label for row in chosen if row.selected), None),
    )
    # With a preview a digit only moves the cursor, and from the row below the list it does nothing.
    previews = _has_preview(block)
    keys = (
        ()
        if listed.scrolls or aside.selected or previews
        else digits(row for row in chosen if row is not aside)
    )
    # The row that goes on stands there all the time, but the list comes first.
    going_on = None if below else next_row
    notes = _notes(block, chat) if previews else None
    return ParsedQuestion(
        form, chosen, keys, field, going_on, (label,), scrolls=listed.scrolls, notes=notes
    )


def _notes(block: Block, chat: int) -> str | None:
    """Return what stands in the notes while keys go into them."""
    if not _WRITES_NOTES.search(" ".join(block.rows[chat + 1 :])):
        return None
    rows = block.rows[:chat]
    written = next((match["text"] for row in rows if (match := _NOTES.fullmatch(row))), None)
    return "" if written and _NO_NOTES.fullmatch(written) else written


def _form(block: Block, tabs: _Tabs, asked: Question) -> PromptForm:
    text = asked.question
    return PromptForm(
        kind=Kind.QUESTION,
        title=tabs.header or text.split("\n")[0] or CUT,
        subject=f"{CUT}\n{text}" if block.cut else f"{tabs.header}\n{text}",
        truncated=block.cut,
        tool_name=TOOL,
        questions=(asked,),
        position=tabs.position,
        top=block.first - 1 if block.whole else 0,
        unanswered=tabs.unanswered,
    )


def _next_row(rows: Sequence[str]) -> OptionRow | None:
    """Return the row without a number right above the rule: Next or Submit."""
    match = _STEER.fullmatch(rows[-1]) if rows else None
    boxed = any(re.match(r"(?:❯| ) \d+\. \[", row) for row in rows)
    if match is None or not boxed:
        return None
    at = len(rows) - 1
    return OptionRow(None, match["label"], bool(match["mark"]), first=at, last=at)


def _text(block: Block, rows: Sequence[str]) -> str:
    if block.cut:
        # What is indented is left of an option that has gone off the screen.
        last = paragraph_above(rows, len(rows))
        rows = [rows[at] for at in last if not rows[at].startswith("  ")]
    kept = [row for row in rows if row.strip()]
    if kept and all(row.startswith("│") for row in kept):
        return unwrap((row[1:].strip() for row in kept), block.width - 2)
    return unwrap((row.strip() for row in rows), block.width).strip("\n")


def _field(block: Block, rows: Sequence[OptionRow]) -> Field | None:
    """Return the row for free text, the last one."""
    last = rows[-1]
    focused = last.selected and block.cursor_in(last)
    empty = bool(_FREE.fullmatch(last.label)) and not _is_written(block, last)
    # Every answer has a description, but text typed into the row has none.
    others = [bool(row.description) for row in rows[:-1]]
    described = last.description and not _is_one_text(block, last)
    written = not described and bool(others) and all(others)
    if not (focused or empty or written) or _has_preview(block):
        return None
    # The field wraps a column earlier than a label, so its last rows may pass for a description.
    return Field(focused, "" if empty else f"{last.label} {last.description}".rstrip(), last)


def _is_one_text(block: Block, row: OptionRow) -> bool:
    """Return True if the last line of a row is known to have the colour of its first."""
    first = block.colour(row.first, row.column)
    return first is not None and first == block.colour(row.last, row.column)


def _is_written(block: Block, row: OptionRow) -> bool:
    """Return True if the words in the field are not its hint, which is drawn paler than text."""
    at = block.first + row.first
    line = block.screen.lines[at]
    number = style_at(block.screen, at, line.find(str(row.number)))
    # A cursor stands on the first letter of a hint.
    words = style_at(block.screen, at, line.find(row.label) + 1)
    # Only a screen with colours tells text from a hint.
    has_colours = number and number.fg
    return bool(has_colours and words and not words.fg and not words.dim)


def _has_preview(block: Block) -> bool:
    return any("┌" in row for row in block.rows)


def _preview(block: Block) -> str | None:
    column = next((row.index("┌") for row in block.rows if "┌" in row), None)
    if column is None:
        return None
    boxes = inner_boxes([row[column:] if row[column:] else "" for row in block.rows])
    return "\n".join(row.rstrip() for row in boxes[0].rows) if boxes else None


def _review(block: Block, tabs: _Tabs) -> ParsedPrompt | None:
    """Parse the page after the last question."""
    rows = block.options
    if [row.label for row in rows] != [SUBMIT, CANCEL] or sum(row.selected for row in rows) != 1:
        return None
    above = [row.strip() for row in block.rows[max(tabs.row + 1, 0) : rows[0].first]]
    # In a low pane the title has left the screen.
    titles = (*_REVIEW_TITLES, *_REVIEW_ASKS) if block.cut else _REVIEW_TITLES
    if not any(title in above for title in titles):
        return None
    text = prose([f" {row}" for row in above if row and row not in _REVIEW_TITLES], block.width)
    offered = tuple(QuestionOption(row.label) for row in rows)
    form = PromptForm(
        kind=Kind.QUESTION,
        title=REVIEW,
        description=text,
        subject=f"{REVIEW}\n{block.cut_mark}{text}",
        truncated=block.cut,
        tool_name=TOOL,
        questions=(Question(REVIEW, options=offered),),
        selected=next(row.label for row in rows if row.selected),
        top=block.first - 1 if block.whole else 0,
        unanswered=tabs.unanswered,
    )
    return ParsedPrompt(form, rows, digits(rows), review=True)
