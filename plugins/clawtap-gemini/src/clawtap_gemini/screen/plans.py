"""Plans to approve, or to send back with feedback."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core import Effect, Kind, Option, PromptForm, TextInput
from clawtap_core.screens import OptionRow, ParsedPrompt, digits, slugs
from clawtap_gemini.screen.block import Block
from clawtap_gemini.screen.free_text import FEEDBACK, field_of, placeholder_of
from clawtap_gemini.screen.tabs import READY, Tabs
from clawtap_gemini.text import text_of
from clawtap_gemini.words import WORDS

_HINT = WORDS.pattern("plans.hint")


def is_plan(block: Block) -> bool:
    """Return whether the keys at the bottom are those of a plan."""
    return bool(_HINT.search(block.hint))


def read_plan(block: Block, rows: Sequence[str], tabs: Tabs) -> ParsedPrompt:
    """Read a plan with its options and its feedback field."""
    field = field_of(block)
    choices = tuple(row for row in block.options if field is None or row is not field.row)
    options = plan_options(choices)
    text = text_of(rows, block.width).strip("\n")
    selected = (o.value for o, row in zip(options, choices, strict=True) if row.selected)
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
        selected=next(selected, None),
        top=block.box.top,
        takes_reason=field is not None,
    )
    return ParsedPrompt(form, choices, digits(choices), field)


def plan_options(rows: Sequence[OptionRow]) -> tuple[Option, ...]:
    """Return the rows of a plan's list as options."""
    options = []
    for value, row in zip(slugs(row.label for row in rows), rows, strict=True):
        effect = Effect.ALLOW_ONCE if row.label.startswith("Yes") else Effect.OTHER
        if effect is Effect.ALLOW_ONCE and "automatically" in row.label:
            # Accepting all edits from now on is more than accepting this plan.
            effect = Effect.ALLOW_ALWAYS
        options.append(Option(value, row.label, effect, description=row.description or None))
    return tuple(options)
