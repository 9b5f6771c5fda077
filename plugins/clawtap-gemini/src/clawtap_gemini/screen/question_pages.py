"""The other pages of a question dialog: a text field of its own, and the review at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_core import Kind, PromptForm, Question, QuestionOption
from clawtap_core.screens import Field, ParsedPrompt
from clawtap_gemini.screen.block import Block, paragraph_above, shown
from clawtap_gemini.screen.tabs import Tabs, asked, title_of

SUBMIT, CANCEL = "Submit", "Cancel"
REVIEW = "Review your answers:"
_TYPED = re.compile(r"> ?(?P<text>.*)")


def read_text(block: Block, rows: Sequence[str], tabs: Tabs) -> ParsedPrompt | None:
    """A question with a text field of its own below it."""
    fields = [at for at, row in enumerate(rows) if row.startswith(">")]
    match = _TYPED.fullmatch(rows[fields[-1]]) if fields else None
    if match is None:
        return None
    at = fields[-1]
    typed = " ".join([match["text"].strip(), *(row.strip() for row in rows[at + 1 :])]).strip()
    offset = len(block.rows[: paragraph_above(block.rows, len(block.rows)).start]) - len(rows)
    empty = _empty(block, offset + at)
    text = asked(block, rows[:at])
    question = Question(
        question=text,
        header=tabs.header,
        input_type="text",
        required=False,
        placeholder=typed if empty else None,
    )
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title_of(text),
        subject=tabs.above + text,
        truncated=block.cut,
        tool_name="ask_user",
        questions=(question,),
        position=tabs.position,
        top=block.box.top,
    )
    return ParsedPrompt(form, field=Field(True, "" if empty else typed))


def _empty(block: Block, row: int) -> bool:
    """Whether the field shows its placeholder: the cursor is on the first character."""
    cursor = block.screen.cursor
    if cursor and block.box.height == 1 and cursor[1] == block.box.first + row:
        return cursor[0] <= block.box.left + 4
    return bool(getattr(block.style(row, 2), "inverse", False))


def read_review(block: Block, rows: Sequence[str]) -> ParsedPrompt:
    """The page after the last question: everything is sent, or given up."""
    text = "\n".join(row.strip() for row in shown(rows) if row.strip() and row.strip() != REVIEW)
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
    )
    return ParsedPrompt(form, review=True)
