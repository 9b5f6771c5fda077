"""Questions of the model in tabs, lists and text fields, and its plans: one dialog of the CLI."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption, TextInput
from clawtap_core.screens import OptionRow, ParsedPrompt, digits, slugs
from clawtap_gemini.screen.block import Block, paragraph_above
from clawtap_gemini.screen.free_text import ALL, FEEDBACK, field_of, placeholder_of
from clawtap_gemini.screen.question_pages import REVIEW, read_review, read_text
from clawtap_gemini.screen.tabs import READY, Tabs, asked, title_of, words_of
from clawtap_gemini.text import text_of

_HINT = re.compile(r"Enter to (select|submit)\b")
_PLAN_HINT = re.compile(r"\bto edit plan\b")


def read_dialog(block: Block) -> ParsedPrompt | None:
    """A question, a plan or the review of the answers."""
    if not _HINT.match(block.hint):
        return None
    if block.options:
        if block.options[0].checked is None and block.options[0].gap < 2:
            return None
        rows, tabs = words_of(block, block.rows[: block.start])
        planned = _PLAN_HINT.search(block.hint)
        return _plan(block, rows, tabs) if planned else _choice(block, rows, tabs)
    end = paragraph_above(block.rows, len(block.rows)).start
    rows, tabs = words_of(block, block.rows[:end])
    if any(row.strip() == REVIEW for row in rows):
        return read_review(block, rows)
    return read_text(block, rows, tabs)


def _choice(block: Block, rows: Sequence[str], tabs: Tabs) -> ParsedPrompt:
    field = field_of(block)
    chosen = tuple(row for row in block.options if field is None or row is not field.row)
    several = any(row.checked is not None for row in block.options)
    text = asked(block, rows)
    question = Question(
        question=text,
        header=tabs.header,
        options=tuple(QuestionOption(row.label, row.description or None) for row in chosen),
        multi_select=several,
        other=field is not None or block.ends is not True,
        placeholder=placeholder_of(field),
    )
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title_of(text),
        subject=tabs.above + text,
        truncated=block.cut,
        tool_name="ask_user",
        more_options=block.scrolling,
        questions=(question,),
        selected=next((row.label for row in chosen if row.selected), None),
        position=tabs.position,
        top=block.box.top,
    )
    return ParsedPrompt(form, chosen, digits(chosen), field, block.steer, (ALL,))


def _plan(block: Block, rows: Sequence[str], tabs: Tabs) -> ParsedPrompt:
    field = field_of(block)
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
        text_input=TextInput(placeholder_of(field) or FEEDBACK),
        selected=next((o.value for o, r in zip(options, chosen, strict=True) if r.selected), None),
        top=block.box.top,
    )
    return ParsedPrompt(form, chosen, digits(chosen), field)


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
