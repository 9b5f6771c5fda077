"""Questions in a box, as versions before the forms ask them: a list, or a field."""

from __future__ import annotations

from dataclasses import replace

from clawtap_copilot.screen.block import Block
from clawtap_copilot.screen.form import ASK
from clawtap_copilot.screen.free_text import field_of
from clawtap_copilot.words import WORDS
from clawtap_core import Kind, PromptForm, Question, QuestionOption
from clawtap_core.prompts.identity import subject_of
from clawtap_core.screens import Field, ParsedPrompt, cursor_row, digits, unwrap

_TITLE = WORDS.pattern("questions.title")
_KEYS = WORDS.pattern("questions.keys")
_TYPED = WORDS.pattern("form.typed")
_OTHER = WORDS.texts("questions.other")


def read_question(block: Block) -> ParsedPrompt | None:
    """Read a question of the model."""
    # Where the title left the pane, the keys tell a question from other dialogs.
    cut = not block.box.whole and block.options and _KEYS.search(" ".join(block.rows[-2:]))
    if not (cut or _TITLE.fullmatch(block.title)):
        return None
    if not block.options:
        return _read_text(block)
    if block.options[0].number != 1:
        return None
    field = field_of(block)
    choices = block.options[:-1] if field else block.options
    question = Question(
        unwrap(block.above, block.width).strip(),
        options=tuple(QuestionOption(row.label) for row in choices),
        other=field is not None,
    )
    selected = next((row.label for row in choices if row.selected), None)
    # The rule below the title is above the whole question.
    hidden = bool(cut) and block.first == block.box.first
    # Without the last row: in a frame without its colours a text in it reads like an answer.
    labels = (row.label for row in block.options[:-1])
    subject = subject_of(question.question, *labels, cut=hidden)
    form = replace(_form(block, question), selected=selected, subject=subject, truncated=hidden)
    return ParsedPrompt(form, choices, digits(choices), field)


def _read_text(block: Block) -> ParsedPrompt | None:
    at = cursor_row(block.rows)
    first = _TYPED.fullmatch(block.rows[at]) if at is not None else None
    if at is None or first is None:
        return None
    end = next((row for row in range(at, len(block.rows)) if not block.rows[row].strip()), at + 1)
    text = unwrap([first["text"], *block.rows[at + 1 : end]], block.width)
    question = Question(unwrap(block.rows[:at], block.width).strip(), input_type="text")
    field = Field(True, "" if text in _OTHER else text)
    return ParsedPrompt(_form(block, question), field=field)


def _form(block: Block, question: Question) -> PromptForm:
    return PromptForm(
        Kind.QUESTION,
        question.question.split("\n")[0],
        subject=question.question,
        tool_name=ASK,
        questions=(question,),
    )
