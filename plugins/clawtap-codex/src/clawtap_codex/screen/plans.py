"""A plan that waits for approval: its options below, its text in the history above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clawtap_codex.screen.block import PromptBlock
from clawtap_codex.text import effect_of, to_options
from clawtap_core import Effect, Kind, Option, PromptForm, Screen
from clawtap_core.screens import OptionRow, ParsedPrompt, digits

PLAN_TITLE = "Implement this plan?"
_HEADING = "• Proposed Plan"
_WORKED = "  Worked for "
_MARKERS = "0123456789.-•*# "


def read_plan(block: PromptBlock, option_rows: Sequence[OptionRow], top: int) -> ParsedPrompt:
    """Parse a plan prompt; a digit chooses at once, Escape stays in plan mode."""
    options = tuple(map(_allow_once, to_options(option_rows, effect_of)))
    rows = tuple(
        replace(row, label=option.label) for row, option in zip(option_rows, options, strict=True)
    )
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


def _allow_once(option: Option) -> Option:
    """Turn a lasting approval into one for this plan only."""
    allows = option.effect is Effect.ALLOW_ALWAYS
    return replace(option, effect=Effect.ALLOW_ONCE) if allows else option


def _visible_plan(screen: Screen, top: int) -> tuple[str, bool]:
    """Return the visible part of the plan, and whether that is all of it."""
    heading = next((row for row in range(top - 1, -1, -1) if screen.lines[row] == _HEADING), None)
    start = 0 if heading is None else heading + 1
    if heading is None and screen.lines[0].startswith("›"):
        start = 1
    rows = list(_plan_rows(screen, start, top))
    return "\n".join(_row_as_markdown(screen, row) for row in rows).strip("\n"), heading is not None


def _plan_rows(screen: Screen, start: int, end: int) -> Iterator[int]:
    """Yield the rows of the plan, up to the next entry of the history."""
    for row in range(start, end):
        line = screen.lines[row]
        if line.startswith(_WORKED) or (line and not line.startswith(" ")):
            return
        yield row


def _row_as_markdown(screen: Screen, row: int) -> str:
    """Return a row with backticks around code, which the CLI shows by colour alone."""
    parts = []
    for span in screen.spans(row):
        text = span.text
        coloured = span.style.fg is not None and not span.style.bold and not span.style.underline
        if coloured and text.strip(_MARKERS):
            text = f"`{text.rstrip()}`" + text[len(text.rstrip()) :]
        parts.append(text)
    return "".join(parts).rstrip().removeprefix("  ")
