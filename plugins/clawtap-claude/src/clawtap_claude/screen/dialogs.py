"""Parse the CLI's own dialogs: trust, warnings, API key, MCP servers, modes, models.

The table gives a dialog its meaning by its words; any other must say yes or no. Pickers that a
user opened are left to the screen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clawtap_claude.screen.block import Block, inner_rules
from clawtap_claude.screen.dialog_rows import list_rows
from clawtap_claude.words import WORDS
from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption
from clawtap_core.screens import OptionRow, ParsedPrompt, digits, slugs, unwrap
from clawtap_core.screens.purchases import sells
from clawtap_core.words import Matcher

_CONFIRMS = WORDS.pattern("dialogs.confirms")
_NO = WORDS.pattern("dialogs.no")
_YES = WORDS.pattern("dialogs.yes")
_TICKED = WORDS.pattern("dialogs.ticked")
_ENABLE = WORDS.pattern("dialogs.enable")
_TICK_FOOTER = WORDS.pattern("dialogs.tick_footer")
_KEYS = re.compile(r"(?P<key>Enter|shift\+Tab|Esc) to (?P<label>[^·]+?)(?= ·|$)", re.IGNORECASE)
_PRESSES = {"enter": "Enter", "shift+tab": "BTab", "esc": "Escape"}
_MARGIN = 4


@dataclass(frozen=True, slots=True)
class _Dialog:
    """A dialog known by the words of its first line.

    `ends` is its last label, where no line of keys is below; `always` are the labels that last;
    `dismissed`: it is declined for the user at the start; `asks`: it permits nothing, but offers
    choices.
    """

    words: Matcher
    dialog: str
    ends: Matcher | None = None
    always: Matcher = re.compile(r"(?!)")
    dismissed: bool = False
    asks: bool = False


_DIALOG_TABLE = (
    _Dialog(WORDS.pattern("dialogs.folder_trust"), "folder-trust"),
    _Dialog(WORDS.pattern("dialogs.bypass_warning"), "bypass-warning"),
    _Dialog(WORDS.pattern("dialogs.api_key"), "api-key"),
    _Dialog(
        WORDS.pattern("dialogs.mcp_servers"),
        "mcp-servers",
        always=WORDS.pattern("dialogs.mcp_servers_always"),
    ),
    _Dialog(
        WORDS.pattern("dialogs.auto_mode"),
        "auto-mode",
        always=WORDS.pattern("dialogs.auto_mode_always"),
    ),
    _Dialog(
        WORDS.pattern("dialogs.default_mode_nudge"),
        "mode-nudge",
        ends=WORDS.pattern("dialogs.default_mode_nudge_ends"),
        always=re.compile(r"Yes"),
        dismissed=True,
    ),
    _Dialog(
        WORDS.pattern("dialogs.renderer_nudge"),
        "renderer-nudge",
        always=re.compile(r"Yes"),
        dismissed=True,
    ),
    _Dialog(
        WORDS.pattern("dialogs.exit_plan"),
        "exit-plan",
        ends=WORDS.pattern("dialogs.exit_plan_ends"),
    ),
    _Dialog(WORDS.pattern("dialogs.usage_limit"), "usage-limit", asks=True),
    _Dialog(WORDS.pattern("dialogs.mode_nudge"), "mode-nudge", dismissed=True),
)


def read_dialog(block: Block) -> ParsedPrompt | None:
    """Parse a dialog of the CLI itself."""
    if not block.whole:
        return None
    return _ticking(block) or _listed(block) or _keyed(block)


def _listed(block: Block) -> ParsedPrompt | None:
    first = next(filter(None, _text_rows(block, len(block.rows))), "")
    dialog = next((entry for entry in _DIALOG_TABLE if entry.words.match(first)), None)
    confirms = any(_CONFIRMS.search(row) for row in block.rows[-2:])
    rows = list_rows(block, block.rows)
    if len(rows) < 2 or sum(row.selected for row in rows) != 1:
        return None
    if not confirms and not (dialog and dialog.ends and dialog.ends.fullmatch(rows[-1].label)):
        return None
    if dialog and dialog.asks:
        return _choosing(block, dialog, rows)
    if dialog is None and sells(" ".join(block.rows)):
        return _choosing(block, None, rows)
    if dialog is None and not (_YES.match(rows[0].label) and _NO.match(rows[-1].label)):
        return None
    if not any(_NO.match(row.label) for row in rows):
        return None
    return _reading(block, dialog, rows)


def _reading(block: Block, entry: _Dialog | None, rows: tuple[OptionRow, ...]) -> ParsedPrompt:
    title, about = _words(block, rows[0].first)
    names = slugs(row.label for row in rows)
    options = tuple(
        Option(name, row.label, _effect(entry, row.label), description=row.description or None)
        for name, row in zip(names, rows, strict=True)
    )
    no = next((option for option in options if option.effect is Effect.DENY), None)
    form = replace(
        _permission(block, title, about, options),
        selected=next(o.value for o, row in zip(options, rows, strict=True) if row.selected),
        dialog=entry.dialog if entry else None,
        dismiss=no.value if no and entry and entry.dismissed else None,
    )
    return ParsedPrompt(form, rows, digits(rows) if entry else ())


def _permission(block: Block, title: str, about: str, options: tuple[Option, ...]) -> PromptForm:
    return PromptForm(
        kind=Kind.PERMISSION,
        title=title,
        description=about,
        subject=f"{title}\n{about}",
        options=options,
        top=block.first - 1,
    )


def _choosing(block: Block, entry: _Dialog | None, rows: tuple[OptionRow, ...]) -> ParsedPrompt:
    """Parse a list of which no choice counts as a permission, such as one that may cost money."""
    title, about = _words(block, rows[0].first)
    offered = tuple(QuestionOption(row.label, row.description or None) for row in rows)
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        description=about,
        subject=f"{title}\n{about}",
        questions=(Question(title, options=offered),),
        selected=next(row.label for row in rows if row.selected),
        dialog=entry.dialog if entry else None,
        top=block.first - 1,
    )
    return ParsedPrompt(form, rows, digits(rows) if entry else (), escape_denies=True)


def _effect(dialog: _Dialog | None, label: str) -> Effect:
    if _NO.match(label):
        return Effect.DENY
    if dialog and dialog.always.match(label):
        return Effect.ALLOW_ALWAYS
    return Effect.ALLOW_ONCE if _YES.match(label) else Effect.OTHER


def _text_rows(block: Block, end: int) -> list[str]:
    """Return the rows up to an end, those that only divide others empty."""
    rules = inner_rules(block.rows)
    return ["" if at in rules else row.strip() for at, row in enumerate(block.rows[:end])]


def _words(block: Block, end: int) -> tuple[str, str]:
    """Return the first line, and the other text above the list by paragraph."""
    rows = _text_rows(block, end)
    first = next((at for at, row in enumerate(rows) if row), 0)
    return rows[first] if rows else "", unwrap(rows[first + 1 :], block.width - _MARGIN).strip()


def _ticking(block: Block) -> ParsedPrompt | None:
    """Parse a list of MCP servers with check boxes, and the row that confirms them."""
    if not any(_TICK_FOOTER.search(row) for row in block.rows[-2:]):
        return None
    rows, next_row = [], None
    for at, row in enumerate(block.rows):
        if match := _TICKED.fullmatch(row):
            checked = match["box"] != " "
            mark = bool(match["mark"])
            rows.append(OptionRow(None, match["label"], mark, checked, "", at, at))
        elif match := _ENABLE.fullmatch(row):
            next_row = OptionRow(None, match["label"], bool(match["mark"]), first=at, last=at)
    if not rows or next_row is None or sum(row.selected for row in [*rows, next_row]) != 1:
        return None
    title, about = _words(block, rows[0].first)
    offered = tuple(QuestionOption(row.label) for row in rows)
    question = Question(title, options=offered, multi_select=True, required=False)
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        description=about,
        subject=f"{title}\n{about}",
        questions=(question,),
        selected=next((row.label for row in rows if row.selected), None),
        dialog="mcp-servers",
        top=block.first - 1,
    )
    return ParsedPrompt(form, tuple(rows), next_row=next_row)


def _keyed(block: Block) -> ParsedPrompt | None:
    """Parse a dialog without a list, whose last line names a key for each choice."""
    tail = block.rows[-1].strip() if block.rows else ""
    matches = list(_KEYS.finditer(tail))
    if len(matches) < 3 or matches[0].start() != 0 or any("❯" in row for row in block.rows):
        return None
    title, about = _words(block, len(block.rows) - 1)
    labels = [match["label"].strip() for match in matches]
    pressed = (_PRESSES[match["key"].casefold()] for match in matches)
    keys = tuple(zip(labels, pressed, strict=True))
    options = tuple(
        Option(name, label, Effect.DENY if key == "Escape" else Effect.OTHER, match["key"])
        for name, (label, key), match in zip(slugs(labels), keys, matches, strict=True)
    )
    return ParsedPrompt(_permission(block, title, about, options), keys=keys)
