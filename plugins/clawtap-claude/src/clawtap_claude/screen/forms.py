"""Parse the forms of MCP servers: fields, one per line, then Accept and Decline."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_claude.screen.block import Block
from clawtap_claude.screen.form_fields import FormField, ParsedForm
from clawtap_claude.words import WORDS
from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption
from clawtap_core.screens import OptionRow, unwrap
from clawtap_core.words import Matcher

ACCEPT, DECLINE = "Accept", "Decline"
_TITLE = WORDS.pattern("forms.title")
_FIELD = WORDS.pattern("forms.field")
_CHOICE = WORDS.pattern("forms.choice")
_HIDDEN = WORDS.pattern("forms.hidden")
_HIDDEN_CHOICES = WORDS.pattern("forms.hidden_choices")
_BUTTONS = WORDS.pattern("forms.buttons")
_EMPTY = WORDS.texts("forms.empty")
_WRONG = "⚠"
_FOLDED = "▸"
_UNFOLDED = "▾"
_MARGIN = 4


def read_form(block: Block) -> ParsedForm | None:
    """Parse a form with its fields and buttons."""
    first = next((row for row in block.rows if row.strip()), "")
    title = _TITLE.fullmatch(first)
    at = next((at for at, row in enumerate(block.rows) if _BUTTONS.fullmatch(row)), None)
    if title is None or at is None:
        return None
    above, below = _out_of_sight(block.rows[:at], _HIDDEN)
    starts = [row for row in range(at) if _FIELD.fullmatch(block.rows[row])]
    entries = [
        _entry(block.rows, start, end, place)
        for place, (start, end) in enumerate(zip(starts, [*starts[1:], at], strict=False), above)
    ]
    buttons = _buttons(block.rows[at], at)
    if sum(entry.selected for entry, _, _ in entries) + sum(b.selected for b in buttons) != 1:
        return None
    return _reading(block, title["title"], entries, buttons, (above, below))


def _out_of_sight(rows: Sequence[str], mark: Matcher) -> tuple[int, int]:
    """Return how many are hidden above and below, as the marks at the ends of a list say."""
    marks = [match for row in rows if (match := mark.fullmatch(row))]
    above, below = (sum(int(m["count"]) for m in marks if m["where"] == way) for way in "↑↓")
    return above, below


def _entry(rows: Sequence[str], at: int, end: int, place: int) -> tuple[FormField, str, int]:
    """Return a field, its description and its row."""
    match = _FIELD.fullmatch(rows[at])
    assert match is not None  # noqa: S101 - the caller has matched it
    value, at_value = match["value"].strip(), " " * match.start("value")
    start = at
    # Older versions wrap a long value; below a short name, what a list offers begins as far right.
    wraps = bool(value) and not value.startswith(_UNFOLDED)
    while wraps and at + 1 < end and rows[at + 1].startswith(at_value) and rows[at + 1].strip():
        at += 1
        value = f"{value} {rows[at].strip()}"
    below = rows[at + 1 : end]
    listed = [(i, row) for i, row in enumerate(map(_CHOICE.fullmatch, below), at + 1) if row]
    choices = tuple(
        OptionRow(None, row["label"], bool(row["mark"]), row["dot"] in "◉●☒", "", i, i)
        for i, row in listed
    )
    choices_above, choices_below = _out_of_sight(below, _HIDDEN_CHOICES)
    steering = (_CHOICE, _HIDDEN, _HIDDEN_CHOICES)
    about = " ".join(
        row.strip()
        for row in below
        if row.strip() and not any(pattern.fullmatch(row) for pattern in steering)
    )
    shown = value.removeprefix(_FOLDED).removeprefix(_UNFOLDED).strip()
    ticked = {"☐": False, "☒": True}.get(value)
    entry = FormField(
        name=match["name"],
        value="" if shown in _EMPTY else shown,
        selected=match["mark"] == "❯",
        place=place,
        problem=about if match["flag"] == _WRONG else "",
        required=match["flag"] == "*",
        empty=match["flag"] != "✔",
        folded=value.startswith(_FOLDED),
        ticked=ticked,
        choices=choices,
        choices_above=choices_above,
        choices_below=choices_below,
        several=any(row["dot"] in "☐☒" for _, row in listed),
    )
    return entry, about, start


def _buttons(row: str, at: int) -> tuple[OptionRow, OptionRow]:
    match = _BUTTONS.fullmatch(row)
    assert match is not None  # noqa: S101 - the caller has matched it
    return (
        OptionRow(None, ACCEPT, match["accept"] == "❯", first=at, last=at),
        OptionRow(None, DECLINE, match["decline"] == "❯", first=at, last=at),
    )


def _reading(
    block: Block,
    title: str,
    fields: Sequence[tuple[FormField, str, int]],
    buttons: tuple[OptionRow, OptionRow],
    out_of_sight: tuple[int, int],
) -> ParsedForm:
    start = fields[0][2] if fields else buttons[0].first
    rows = [
        row for row in block.rows[:start] if not (_TITLE.fullmatch(row) or _HIDDEN.fullmatch(row))
    ]
    about = unwrap([row.strip() for row in rows], block.width - _MARGIN).strip()
    options = (
        Option("accept", ACCEPT, Effect.OTHER),
        Option("decline", DECLINE, Effect.DENY),
    )
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        description=about,
        # Without the names of the fields: a list that is unfolded may push some out of sight.
        subject=f"{title}\n{about}",
        truncated=any(out_of_sight),
        more_options=any(out_of_sight) or any(_hides(entry) for entry, _, _ in fields),
        options=options,
        questions=tuple(_question(entry, about) for entry, about, _ in fields),
        selected=next((o.value for o, b in zip(options, buttons, strict=True) if b.selected), None),
        top=block.first - 1,
    )
    entries = tuple(entry for entry, _, _ in fields)
    above, below = out_of_sight
    return ParsedForm(form, buttons, entries=entries, above=above, below=below)


def _hides(entry: FormField) -> bool:
    return (entry.folded and not entry.choices) or entry.choices_above + entry.choices_below > 0


def _question(entry: FormField, about: str) -> Question:
    offered = tuple(QuestionOption(choice.label) for choice in entry.choices)
    return Question(
        question=about or entry.name,
        header=entry.name,
        options=offered,
        multi_select=entry.several,
        other=_hides(entry),
        input_type="boolean" if entry.ticked is not None else None if offered else "text",
        required=entry.required,
        placeholder=entry.value or None,
    )
