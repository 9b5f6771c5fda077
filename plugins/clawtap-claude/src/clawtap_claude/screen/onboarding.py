"""Parse the pages before the first session: the theme and the security notes."""

from __future__ import annotations

from clawtap_claude.screen.block import Block
from clawtap_claude.screen.dialog_rows import list_rows
from clawtap_claude.words import WORDS
from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption
from clawtap_core.screens import ParsedPrompt

_BANNER = WORDS.pattern("onboarding.banner")
_NOTES = "Security notes:"
_CONTINUE = WORDS.pattern("onboarding.continue")
_THEME = WORDS.pattern("onboarding.theme")
_LATER = WORDS.pattern("onboarding.later")


def read_onboarding(block: Block) -> ParsedPrompt | None:
    """Parse a page of the first start."""
    # It has no rule, and only the banner above it.
    if block.whole and not any(_BANNER.match(line) for line in block.screen.lines):
        return None
    start = next((at for at, row in enumerate(block.rows) if _BANNER.match(row)), None)
    if start is None:
        return None
    return _notes(block, start) or _theme(block, start)


def _notes(block: Block, start: int) -> ParsedPrompt | None:
    rows = [row.strip() for row in block.rows]
    if _NOTES not in rows or not _CONTINUE.fullmatch(block.rows[-1]):
        return None
    at = rows.index(_NOTES)
    option = Option("continue", "Continue", Effect.OTHER, "Enter")
    text = "\n".join(rows[at + 1 : -1]).strip()
    form = PromptForm(
        kind=Kind.QUESTION,
        title=_NOTES,
        description=text,
        subject=_NOTES,
        options=(option,),
        selected=option.value,
        dialog="security-notes",
        dismiss=option.value,
        top=block.first + start,
    )
    return ParsedPrompt(form, keys=((option.label, "Enter"),), escape_denies=False)


def _theme(block: Block, start: int) -> ParsedPrompt | None:
    asks = next((at for at, row in enumerate(block.rows) if _THEME.fullmatch(row)), None)
    end = next((at for at, row in enumerate(block.rows) if _LATER.match(row)), None)
    if asks is None or end is None:
        return None
    rows = list_rows(block, block.rows[:end])
    if len(rows) < 2 or sum(row.selected for row in rows) != 1:
        return None
    title = block.rows[asks].strip()
    offered = tuple(QuestionOption(row.label) for row in rows)
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        description=block.rows[asks + 1].strip(),
        subject=title,
        questions=(Question(title, options=offered),),
        selected=next(row.label for row in rows if row.selected),
        dialog="theme",
        top=block.first + start,
    )
    return ParsedPrompt(form, rows, escape_denies=False)
