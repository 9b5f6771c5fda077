"""Lists of the CLI itself: trust, hooks, updates, models, limits, unanswered questions, pickers.

A dialog that is known by its words gets its meaning from the table; any other list with a cursor
is a question with its first line as title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_codex.screen.block import Block, Family
from clawtap_codex.screen.plans import PLAN_TITLE, read_plan
from clawtap_codex.screen.startup import StartReading
from clawtap_codex.text import effect, neutral, options_of
from clawtap_core import Effect, Kind, Option, PromptForm
from clawtap_core.screens import OptionRow, ParsedPrompt, digits, numbered_rows
from clawtap_core.screens.columns import in_columns

_GREETING = re.compile(r"Welcome to Codex\b")
_WHERE = "> You are in "
_MORE = ("↑", "↓")
_ARROW = re.compile(r" *[↑↓] *")


@dataclass(frozen=True, slots=True)
class _Known:
    """A dialog known by its words. `digits`: facts prove that a digit chooses at once.

    `escapes`: Escape refuses; `away` is the label that puts it away without deciding anything.
    """

    words: re.Pattern[str]
    kind: Kind = Kind.QUESTION
    dialog: str | None = None
    digits: bool = False
    escapes: bool = True
    away: str | None = None


_KNOWN = (
    _Known(
        re.compile(r"Trust this folder\?|Do you trust the contents of this directory\?"),
        Kind.PERMISSION,
        "folder-trust",
        escapes=False,
    ),
    _Known(re.compile(r"^Hooks need review"), Kind.PERMISSION, "hooks-review"),
    # Its footer says that Escape confirms, and it does: the new model.
    _Known(re.compile(r"^Meet "), dialog="model-migration", digits=True, escapes=False, away="Use"),
    _Known(
        re.compile(r"Update available"), dialog="update", digits=True, escapes=False, away="Skip"
    ),
    _Known(
        re.compile(r"^Approaching rate limits"),
        dialog="rate-limit-nudge",
        digits=True,
        away="Keep current model",
    ),
    _Known(re.compile(r"Sign in with ChatGPT"), dialog="login", escapes=False),
    _Known(re.compile(r"^Enable full access\?"), Kind.PERMISSION),
)
_NEW = _Known(re.compile(""))


def read_dialog(block: Block) -> ParsedPrompt | None:
    """A list that is no tool's: its first line is the title, what follows describes it."""
    if block.family not in (Family.LIST, Family.PAGE):
        return None
    options = _rows(block)
    if sum(row.selected for row in options) != 1:
        return None
    top, words = _words(block)
    if not words:
        return None
    if words[0] == PLAN_TITLE:
        return read_plan(block, options, top)
    known = _known(words, options)
    return _reading(block, known, top, words, options)


def _rows(block: Block) -> tuple[OptionRow, ...]:
    """The options; on a start-up page a description stands below its label, dim."""
    if not block.options or block.family is Family.LIST:
        return in_columns(block.rows, block.options) if block.options else ()
    return numbered_rows(block.rows, block.screen.cols, block.dim)


def _words(block: Block) -> tuple[int, tuple[str, ...]]:
    """The row where the dialog begins, and its lines: up to two blank rows, or an older text."""
    lines: list[str] = []
    top, blanks = block.top_of_list, 0
    for row in range(block.top_of_list - 1, -1, -1):
        text = block.rows[row]
        if not text.strip() or _ARROW.fullmatch(text):
            blanks += 1
            if blanks > 1 and lines:
                break
        elif text.startswith(("  ", _WHERE)):
            if _GREETING.match(text.strip()):
                break
            lines += ([""] if blanks and lines else []) + [text.strip()]
            top, blanks = row, 0
        else:
            break
    return top, tuple(lines[::-1])


def _known(words: Sequence[str], options: Sequence[OptionRow]) -> _Known:
    text = " ".join((*words, *(row.label for row in options)))
    return next((known for known in _KNOWN if known.words.search(text)), _NEW)


def _reading(
    block: Block,
    known: _Known,
    top: int,
    words: Sequence[str],
    found: Sequence[OptionRow],
) -> ParsedPrompt:
    title, description = _title(words)
    options = options_of(found, effect if known.kind is Kind.PERMISSION else neutral)
    if known.dialog == "folder-trust":
        options = tuple(map(_lasting, options))
    rows = tuple(
        replace(row, label=option.label) for row, option in zip(found, options, strict=True)
    )
    form = PromptForm(
        kind=known.kind,
        title=title,
        description=description,
        subject=title if known is not _NEW else "",
        options=options,
        more_options=_scrolls(block),
        selected=next(o.value for o, row in zip(options, rows, strict=True) if row.selected),
        dialog=known.dialog,
        dismiss=_away(known, options),
        top=top,
    )
    reading = StartReading if block.family is Family.PAGE else ParsedPrompt
    return reading(form, rows, digits(rows) if known.digits else (), escapes=known.escapes)


def _title(words: Sequence[str]) -> tuple[str, str]:
    """The first line, and the others joined by paragraph. 0.116 says first where it is."""
    if words[0].startswith(_WHERE):
        words = [*words[2:], "", words[0].removeprefix("> ")]
    paragraphs = " ".join(word or "\n" for word in words[1:]).split("\n")
    return words[0], "\n\n".join(part.strip() for part in paragraphs if part.strip())


def _lasting(option: Option) -> Option:
    """Trust in a folder is kept."""
    allows = option.effect is Effect.ALLOW_ONCE
    return replace(option, effect=Effect.ALLOW_ALWAYS) if allows else option


def _away(known: _Known, options: Sequence[Option]) -> str | None:
    if known.away is None:
        return None
    return next((o.value for o in options if o.label.startswith(known.away)), None)


def _scrolls(block: Block) -> bool:
    rows = block.rows[max(0, block.top_of_list - 2) : block.end]
    return any(row.strip() in _MORE for row in rows) or block.options[0].number != 1
