"""Questions of the model: a list, a text field, or the review of several answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clawtap_core import Kind, PromptForm, Question, QuestionOption
from clawtap_core.screens import Field, ParsedPrompt, digits, paragraph_above
from clawtap_gemini.screen.block import Block, shown
from clawtap_gemini.screen.free_text import ALL, field_of, placeholder_of
from clawtap_gemini.screen.plans import is_plan, read_plan
from clawtap_gemini.screen.tabs import Tabs, question_rows, question_text, title_of
from clawtap_gemini.words import WORDS

SUBMIT, CANCEL = "Submit", "Cancel"
_REVIEW_TITLES = WORDS.texts("questions.review")
REVIEW = _REVIEW_TITLES[0]
_HINT = WORDS.pattern("questions.hint")
_TYPED = re.compile(r"> ?(?P<text>.*)")


def read_question(block: Block) -> ParsedPrompt | None:
    """Read a question, a plan, or the review of the answers: one dialog of the CLI."""
    if not _HINT.match(block.hint):
        return None
    if block.options or block.next_row:
        # A confirmation has one blank after the number, this dialog two, or a long label below.
        first = block.options[0] if block.options else None
        if first and first.checked is None and (first.gap == 1 or not first.label):
            return None
        rows, tabs = question_rows(block, block.rows[: block.start])
        return read_plan(block, rows, tabs) if is_plan(block) else _read_list(block, rows, tabs)
    end = paragraph_above(block.rows, len(block.rows)).start
    rows, tabs = question_rows(block, block.rows[:end])
    if any(row.strip() in _REVIEW_TITLES for row in rows):
        return _read_review(block, rows, tabs)
    return _read_text_page(block, rows, tabs)


def lacks_question(block: Block) -> bool:
    """Return True for a window of one list row in a pane too low for anything of its question.

    Another row may bring the question into view: nothing in sight tells it from the next one.
    """
    if not (block.cut and block.scrolling and _HINT.match(block.hint)) or is_plan(block):
        return False
    rows, _ = question_rows(block, block.rows[: block.start])
    return not question_text(block, rows)


def _read_list(block: Block, rows: Sequence[str], tabs: Tabs) -> ParsedPrompt:
    field = field_of(block)
    choices = tuple(row for row in block.options if field is None or row is not field.row)
    text = question_text(block, rows)
    question = Question(
        question=text,
        header=tabs.header,
        options=tuple(QuestionOption(row.label, row.description or None) for row in choices),
        multi_select=bool(block.next_row) or any(row.checked is not None for row in block.options),
        other=field is not None or block.shows_end is not True or not block.options,
        placeholder=placeholder_of(field),
    )
    form = replace(
        _form(block, tabs, question),
        more_options=block.scrolling,
        selected=next((row.label for row in choices if row.selected), None),
    )
    return ParsedPrompt(form, choices, digits(choices), field, block.next_row, (ALL,))


def _form(block: Block, tabs: Tabs, question: Question) -> PromptForm:
    return PromptForm(
        kind=Kind.QUESTION,
        title=title_of(question.question),
        subject=tabs.above + question.question,
        truncated=block.cut,
        tool_name="ask_user",
        questions=(question,),
        position=tabs.position,
        top=block.box.top,
        unanswered=tabs.unanswered,
    )


def _read_text_page(block: Block, rows: Sequence[str], tabs: Tabs) -> ParsedPrompt | None:
    at = next((row for row in range(len(rows) - 1, -1, -1) if rows[row].startswith(">")), None)
    match = _TYPED.fullmatch(rows[at]) if at is not None else None
    if at is None or match is None:
        return None
    typed = " ".join([match["text"].strip(), *(row.strip() for row in rows[at + 1 :])]).strip()
    row = paragraph_above(block.rows, len(block.rows)).start - len(rows) + at
    cursor = block.screen.cursor
    if cursor and block.box.height == 1 and cursor[1] == block.box.first + row:
        # The cursor is on the first character of the placeholder.
        empty = cursor[0] <= block.box.left + 4
    else:
        empty = bool(getattr(block.style(row, 2), "inverse", False))
    text = question_text(block, rows[:at])
    question = Question(
        question=text,
        header=tabs.header,
        input_type="text",
        required=False,
        placeholder=typed if empty else None,
    )
    return ParsedPrompt(_form(block, tabs, question), field=Field(True, "" if empty else typed))


def _read_review(block: Block, rows: Sequence[str], tabs: Tabs) -> ParsedPrompt:
    # The page after the last question sends all answers or gives up.
    text = "\n".join(
        row.strip() for row in shown(rows) if row.strip() and row.strip() not in _REVIEW_TITLES
    )
    question = Question(REVIEW, options=(QuestionOption(SUBMIT), QuestionOption(CANCEL)))
    form = PromptForm(
        kind=Kind.QUESTION,
        title=REVIEW,
        description=text,
        subject=f"{REVIEW}\n{text}",
        truncated=block.cut,
        tool_name="ask_user",
        questions=(question,),
        selected=SUBMIT,
        top=block.box.top,
        unanswered=tabs.unanswered,
    )
    return ParsedPrompt(form, review=True)
