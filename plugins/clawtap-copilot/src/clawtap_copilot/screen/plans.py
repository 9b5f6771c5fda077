"""Plans to accept, to leave, or to send back with feedback."""

from __future__ import annotations

from dataclasses import replace

from clawtap_copilot.screen.block import Block
from clawtap_copilot.screen.free_text import field_of
from clawtap_copilot.words import WORDS
from clawtap_core import Effect, Kind, Option, PromptForm, TextInput
from clawtap_core.screens import OptionRow, ParsedPrompt, digits, slugs, unwrap

_TITLE = WORDS.pattern("plans.title")
_ACCEPTS = WORDS.pattern("plans.accepts")
_AUTOPILOT = WORDS.pattern("plans.autopilot")
PLAN = "exit_plan_mode"
FEEDBACK = WORDS.texts("plans.feedback")[0]


def read_plan(block: Block) -> ParsedPrompt | None:
    """Read a plan; its last row takes what should be different."""
    field = field_of(block)
    cut = not block.box.whole and any(_ACCEPTS.match(row.label) for row in block.options)
    if not field or not (cut or _TITLE.match(block.title)):
        return None
    rows = block.options[:-1]
    names = slugs(row.label for row in rows)
    options = tuple(
        Option(name, row.label, _effect(row)) for name, row in zip(names, rows, strict=True)
    )
    form = PromptForm(
        Kind.PLAN,
        block.title or "Plan",
        unwrap(block.above, block.width, code=True).strip("\n"),
        truncated=cut,
        tool_name=PLAN,
        options=options,
        text_input=TextInput(FEEDBACK),
        selected=next((o.value for o, r in zip(options, rows, strict=True) if r.selected), None),
        takes_reason=True,
    )
    labelled = tuple(replace(row, label=o.label) for row, o in zip(rows, options, strict=True))
    return ParsedPrompt(form, labelled, digits(labelled), field, escape_denies=block.escapes)


def _effect(row: OptionRow) -> Effect:
    if not _ACCEPTS.fullmatch(row.label):
        return Effect.OTHER
    # Working on without asking is more than accepting this plan.
    return Effect.ALLOW_ALWAYS if _AUTOPILOT.fullmatch(row.label.lower()) else Effect.ALLOW_ONCE
