"""The CLI's own lists: trust, hooks, updates, models, limits, unanswered questions, pickers.

A dialog in the table gets its meaning from there. Any other list with a cursor is a question
whose first line is its title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_codex.screen.block import BlockKind, PromptBlock
from clawtap_codex.screen.plans import PLAN_TITLES, read_plan
from clawtap_codex.text import dialog_effect, effect_of, label_rows, to_options, with_effect
from clawtap_codex.words import WORDS
from clawtap_core import Effect, Kind, PromptForm
from clawtap_core.screens import OptionRow, ParsedPrompt, digits, numbered_rows
from clawtap_core.screens.columns import in_columns
from clawtap_core.words import Matcher

_GREETING = WORDS.pattern("dialogs.greeting")
_WHERE = WORDS.texts("dialogs.where")
_MORE = WORDS.texts("dialogs.more")
_ARROW = WORDS.pattern("dialogs.arrow")


@dataclass(frozen=True)
class StartupDialog(ParsedPrompt):
    """A dialog of a CLI that has just started and may still lose keys."""


@dataclass(frozen=True, slots=True)
class _Dialog:
    words: Matcher  # recognise it, in its text or its labels
    kind: Kind = Kind.QUESTION
    id: str | None = None
    digits: bool = False  # a digit chooses at once
    escape_denies: bool = True  # Escape denies
    away: str | None = None  # begins the label that dismisses it without deciding anything


_DIALOG_TABLE = (
    _Dialog(
        WORDS.pattern("dialogs.folder_trust"),
        Kind.PERMISSION,
        "folder-trust",
        escape_denies=False,
    ),
    _Dialog(WORDS.pattern("dialogs.hooks_review"), Kind.PERMISSION, "hooks-review"),
    # Escape accepts the new model, as the footer says.
    _Dialog(
        WORDS.pattern("dialogs.model_migration"),
        id="model-migration",
        digits=True,
        escape_denies=False,
        away="Use",
    ),
    _Dialog(
        WORDS.pattern("dialogs.update"), id="update", digits=True, escape_denies=False, away="Skip"
    ),
    _Dialog(
        WORDS.pattern("dialogs.rate_limit_nudge"),
        id="rate-limit-nudge",
        digits=True,
        away="Keep current model",
    ),
    # It closes as soon as the answer comes: a late digit would be a draft, and Escape an interrupt.
    _Dialog(
        WORDS.pattern("dialogs.slow_answer"),
        id="slow-answer",
        escape_denies=False,
        away="Dismiss and keep waiting",
    ),
    # Cancel ends the CLI; the daemon's settings are for all its clients, so they stay as they are.
    _Dialog(
        WORDS.pattern("dialogs.daemon_settings"),
        id="daemon-settings",
        escape_denies=False,
        away="Run without daemon",
    ),
    _Dialog(WORDS.pattern("dialogs.login"), id="login", escape_denies=False),
    _Dialog(WORDS.pattern("dialogs.full_access"), Kind.PERMISSION),
)
_UNLISTED = _Dialog(re.compile(""))


def read_dialog(block: PromptBlock) -> ParsedPrompt | None:
    """Parse a list of the CLI itself."""
    if block.kind not in (BlockKind.LIST, BlockKind.PAGE):
        return None
    if not block.options:
        return None
    if block.kind is BlockKind.LIST:
        rows = in_columns(block.rows, block.options)
    else:
        # On a start-up page a dim description follows its label.
        rows = numbered_rows(block.rows, block.screen.cols, block.is_dim)
    top, words = _lines_above_list(block)
    if sum(row.selected for row in rows) != 1 or not words:
        return None
    if words[0] in PLAN_TITLES:
        return read_plan(block, rows, top)
    text = " ".join((*words, *(row.label for row in rows)))
    dialog = next((dialog for dialog in _DIALOG_TABLE if dialog.words.search(text)), _UNLISTED)
    return _to_prompt(block, dialog, top, words, rows)


def _lines_above_list(block: PromptBlock) -> tuple[int, tuple[str, ...]]:
    # The first row of the dialog and its lines, up to two blank rows or older text.
    lines: list[str] = []
    top, blanks = block.list_top, 0
    for row in range(block.list_top - 1, -1, -1):
        text = block.rows[row]
        if not text.strip() or _ARROW.fullmatch(text):
            blanks += 1
            if blanks > 1 and lines:
                break
        elif text.startswith(("  ", *_WHERE)):
            if _GREETING.match(text.strip()):
                break
            lines += ([""] if blanks and lines else []) + [text.strip()]
            top, blanks = row, 0
        else:
            break
    return top, tuple(lines[::-1])


def _to_prompt(
    block: PromptBlock,
    dialog: _Dialog,
    top: int,
    words: Sequence[str],
    option_rows: Sequence[OptionRow],
) -> ParsedPrompt:
    title, description = _title_and_description(words)
    options = to_options(
        option_rows, effect_of if dialog.kind is Kind.PERMISSION else dialog_effect
    )
    if dialog.id == "folder-trust":
        # The CLI remembers trust in a folder.
        options = with_effect(options, Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS)
    rows = label_rows(option_rows, options)
    dismiss = dialog.away and next(
        (option.value for option in options if option.label.startswith(dialog.away)), None
    )
    near_list = block.rows[max(0, block.list_top - 2) : block.end]
    arrows = any(row.strip() in _MORE for row in near_list)
    form = PromptForm(
        kind=dialog.kind,
        title=title,
        description=description,
        subject=title if dialog is not _UNLISTED else "",
        options=options,
        more_options=arrows or block.options[0].number != 1,
        selected=next(o.value for o, row in zip(options, rows, strict=True) if row.selected),
        dialog=dialog.id,
        dismiss=dismiss,
        top=top,
    )
    prompt_type = StartupDialog if block.kind is BlockKind.PAGE else ParsedPrompt
    return prompt_type(
        form, rows, digits(rows) if dialog.digits else (), escape_denies=dialog.escape_denies
    )


def _title_and_description(words: Sequence[str]) -> tuple[str, str]:
    if words[0].startswith(_WHERE):
        # 0.116 names the folder first.
        words = [*words[2:], "", words[0].removeprefix("> ")]
    paragraphs = " ".join(word or "\n" for word in words[1:]).split("\n")
    return words[0], "\n\n".join(part.strip() for part in paragraphs if part.strip())
