"""A plan that waits for approval: its options below, its text in the history above."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from clawtap_codex.screen.block import PromptBlock
from clawtap_codex.text import label_rows, to_options, with_effect
from clawtap_codex.words import WORDS
from clawtap_core import Effect, Kind, PromptForm, Screen, Span
from clawtap_core.screens import OptionRow, ParsedPrompt, digits

PLAN_TITLES = WORDS.texts("plans.title")
PLAN_TITLE = PLAN_TITLES[0]
_HEADINGS = WORDS.texts("plans.headings")
_WORKED = WORDS.texts("plans.worked")
_MARKERS = "0123456789.-•*# "


def read_plan(block: PromptBlock, option_rows: Sequence[OptionRow], top: int) -> ParsedPrompt:
    """Parse a plan prompt; a digit chooses at once, Escape stays in plan mode."""
    # Whatever its label, an approval is for this plan only.
    options = with_effect(to_options(option_rows), Effect.ALLOW_ALWAYS, Effect.ALLOW_ONCE)
    rows = label_rows(option_rows, options)
    plan, whole = _visible_plan(block.screen, top)
    form = PromptForm(
        kind=Kind.PLAN,
        title=PLAN_TITLE,
        description=plan,
        subject=PLAN_TITLE,
        truncated=not whole,
        options=options,
        selected=next(o.value for o, row in zip(options, rows, strict=True) if row.selected),
        top=top,
    )
    return ParsedPrompt(form, rows, digits(rows))


def _visible_plan(screen: Screen, top: int) -> tuple[str, bool]:
    """Return the visible part of the plan, and whether that is all of it."""
    heading = next((row for row in range(top - 1, -1, -1) if screen.lines[row] in _HEADINGS), None)
    start = 0 if heading is None else heading + 1
    if heading is None and screen.lines[0].startswith("›"):
        start = 1
    rows = []
    for row in range(start, top):
        line = screen.lines[row]
        if line.startswith(_WORKED) or (line and not line.startswith(" ")):
            break
        rows.append(_row_as_markdown(screen, row))
    return "\n".join(rows).strip("\n"), heading is not None


def _row_as_markdown(screen: Screen, row: int) -> str:
    # The CLI shows code by its colour alone, and every word of a block in one of its own.
    parts = []
    for is_code, spans in groupby(screen.spans(row), _is_code):
        text = "".join(span.text for span in spans)
        if is_code:
            code = text.strip()
            text = text.replace(code, f"`{code}`", 1)
        parts.append(text)
    return "".join(parts).rstrip().removeprefix("  ")


def _is_code(span: Span) -> bool:
    style = span.style
    coloured = style.fg is not None and not style.bold and not style.underline
    return coloured and bool(span.text.strip(_MARKERS))
