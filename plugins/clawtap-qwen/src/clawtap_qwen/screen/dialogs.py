"""The CLI's own dialogs: a box in place of the composer, such as the one for folder trust."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption, Screen
from clawtap_core.screens import (
    Box,
    OptionRow,
    ParsedPrompt,
    digits,
    lowest_box,
    numbered_rows,
    slugs,
    split_hint,
    unwrap,
)
from clawtap_qwen.screen.block import ASKS, CALL, without_bar
from clawtap_qwen.screen.composer import find_composer
from clawtap_qwen.words import WORDS

_TRUST = WORDS.pattern("dialogs.folder_trust")
_LOOP_DETECTED = WORDS.pattern("dialogs.loop_detected")
_COLUMNS = re.compile(r"\S {3,}\S")


def read_dialog(screen: Screen) -> ParsedPrompt | None:
    """Return the dialog at the bottom of the screen; its list has numbers."""
    if find_composer(screen):
        return None
    lines = without_bar(screen)
    box = lowest_box(lines)
    if box is None or not box.whole or any(line.strip() for line in lines[box.bottom + 1 :]):
        return None
    # What a call says or shows is no dialog, also while the rows below its box are not painted.
    head = "".join(box.rows[:1])
    if CALL.match(head) and not _LOOP_DETECTED.fullmatch(head):
        return None
    if any(ASKS.fullmatch(row) for row in box.rows):
        return None
    rows = numbered_rows(box.rows, box.width - 4)
    if len(rows) < 2 or rows[0].number != 1 or sum(row.selected for row in rows) != 1:
        return None
    title, _, about = unwrap(box.rows[: rows[0].first], box.width - 4).strip("\n").partition("\n")
    # A dialog with a preview in a column of its own is for the key pad.
    if not title or any(_COLUMNS.search(row.strip(" ›●")) for row in box.rows):
        return None
    if _TRUST.search(title):
        return _read_trust(box, rows, title, about)
    question = Question(
        title, options=tuple(QuestionOption(row.label, row.description or None) for row in rows)
    )
    selected = next(row.label for row in rows if row.selected)
    form = PromptForm(
        Kind.QUESTION, title, about, questions=(question,), selected=selected, top=box.top
    )
    return ParsedPrompt(form, rows)


def _read_trust(box: Box, rows: Sequence[OptionRow], title: str, about: str) -> ParsedPrompt:
    labels = [split_hint(row.label) for row in rows]
    names = slugs(label for label, _ in labels)
    options = tuple(
        Option(name, label, Effect.DENY if hint else Effect.ALLOW_ALWAYS, hint)
        for name, (label, hint) in zip(names, labels, strict=True)
    )
    form = PromptForm(
        Kind.PERMISSION,
        title,
        about,
        options=options,
        selected=next(
            (o.value for o, row in zip(options, rows, strict=True) if row.selected), None
        ),
        dialog="folder-trust",
        top=box.top,
    )
    named = tuple(
        OptionRow(row.number, label, row.selected, first=row.first, last=row.last)
        for row, (label, _) in zip(rows, labels, strict=True)
    )
    return ParsedPrompt(form, named, digits(named))
