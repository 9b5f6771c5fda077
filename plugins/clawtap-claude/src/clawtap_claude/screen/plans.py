"""Parse a plan that waits for approval."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_claude.screen.block import Block, inner_rules, paragraph_above
from clawtap_claude.suggestions import ACCEPT_EDITS
from clawtap_claude.text import hidden, prose
from clawtap_claude.words import WORDS
from clawtap_core import Effect, Kind, Option, PromptForm, TextInput
from clawtap_core.screens import Field, OptionRow, ParsedPrompt, digits, slugs, split_hint

TOOL = "ExitPlanMode"
READY_TITLES = WORDS.texts("plans.ready")
READY = READY_TITLES[0]
AUTO_ACCEPT = "Yes, auto-accept edits"
CHANGE = "Tell Claude what to change"
_FEEDBACK = re.compile(r"shift\+tab to approve")
_ASKS = WORDS.pattern("plans.asks")
_INTRO = WORDS.pattern("plans.intro")
_MARGIN, _INSET = 2, 2


def read_plan(block: Block) -> ParsedPrompt | None:
    """Parse a plan; its last row takes free text and names the key that approves with it."""
    rows = block.options
    if len(rows) < 2 or rows[0].number != 1 or sum(row.selected for row in rows) != 1:
        return None
    last = rows[-1]
    if not _FEEDBACK.search(f"{last.label} {last.description}"):
        return None
    asks = paragraph_above(block.rows, rows[0].first)
    if not _ASKS.search(" ".join(block.rows[at].strip() for at in asks)):
        return None
    return _reading(block, rows, asks)


def _reading(block: Block, rows: tuple[OptionRow, ...], asks: range) -> ParsedPrompt:
    inside = block.rows[: asks.start]
    last = rows[-1]
    # The last row shows its placeholder, or the text typed into it.
    typed = _FEEDBACK.split(f"{last.label} {last.description}")[0].strip()
    focused = last.selected and block.cursor_in(last)
    field = Field(focused, "" if typed == CHANGE else typed, last)
    options = _options(rows[:-1])
    text = _plan(block, inside)
    # In 24 rows the mark of a plan that scrolls is at the end of the footer.
    titled = any(row.strip() in READY_TITLES for row in inside)
    cut = block.cut or hidden(inside) or hidden(block.rows[-1:]) or not titled
    # In a low pane the mark that a plan is hidden is painted after its frame.
    cut = cut or not text
    question = prose([f" {block.rows[at].strip()}" for at in asks], block.width - _MARGIN)
    chosen = zip(options, rows, strict=False)
    form = PromptForm(
        kind=Kind.PLAN,
        title=READY,
        description=f"{text}\n\n{question}".strip(),
        subject=f"{block.cut_mark}{text}" if not cut else f"…\n{text}\n…",
        truncated=cut,
        tool_name=TOOL,
        options=options,
        text_input=TextInput(CHANGE),
        selected=next((option.value for option, row in chosen if row.selected), None),
        top=block.first - 1 if block.whole else 0,
    )
    return ParsedPrompt(form, rows[:-1], digits(rows[:-1]), field)


def _options(rows: Sequence[OptionRow]) -> tuple[Option, ...]:
    split = [split_hint(row.label) for row in rows]
    names = slugs(label for label, _ in split)
    return tuple(
        Option(
            name,
            label,
            _effect(label),
            hint,
            row.description or None,
            data=ACCEPT_EDITS if label == AUTO_ACCEPT else None,
        )
        for name, (label, hint), row in zip(names, split, rows, strict=True)
    )


def _effect(label: str) -> Effect:
    # A yes that also stops the CLI from asking is more than a yes to this plan.
    if not label.startswith("Yes"):
        return Effect.DENY if label.startswith("No") else Effect.OTHER
    return Effect.ALLOW_ONCE if "manually" in label or label == "Yes" else Effect.ALLOW_ALWAYS


def _plan(block: Block, rows: Sequence[str]) -> str:
    """Return the plan's text without heading and introduction."""
    rules = inner_rules(rows)
    begin = next((at + 1 for at, row in enumerate(rows) if row.strip() in READY_TITLES), 0)
    begin = next((at + 1 for at, row in enumerate(rows) if _INTRO.fullmatch(row)), begin)
    first = next((at + 1 for at in rules if at >= begin), begin)
    if not any(row.strip() for row in rows[begin : first - 1]):
        begin = first
    end = next((at for at in rules if at >= begin), len(rows))
    plan = rows[begin:end]
    inset = _INSET if plan and all(row.startswith("   ") for row in plan if row.strip()) else 0
    return prose([row[inset:] for row in plan], block.width - 2 * inset - _MARGIN)
