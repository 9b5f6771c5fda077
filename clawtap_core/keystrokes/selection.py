"""Choose one row, by its proven key or by moving the cursor to it."""

from __future__ import annotations

import operator
import re
from itertools import accumulate
from typing import Any

from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.model import Press, Question, QuestionOption, Steps
from clawtap_core.screens import OptionRow, ParsedPrompt, drawn

_NOT_LETTERS = re.compile(r"[\W_]+")
_CUT = ("…", "...")
_QUOTES = "\"'`“”‘’«»"
# No row has this label.
_NO_LABEL = "\0"


def label_on_page(question: Question, parsed: ParsedPrompt, label: str) -> str:
    """Return an offered label as this page draws it: a CLI may quote, cut or clean what it shows.

    The row with its number counts, if its letters agree and it is no other option's. A label
    without letters agrees with itself, quoted or not. Of rows that are drawn alike, only the
    first can be chosen by its label, and none be ticked.
    """
    labels = [option.label for option in question.options]
    if label not in labels:
        return label
    number = labels.index(label) + 1
    alike = [row.number for row in parsed.rows if row.label == label]
    if alike:
        first = alike[0] == number and not question.multi_select
        return label if len(alike) == 1 or first else _NO_LABEL
    row = next((row for row in parsed.rows if row.number == number), None)
    if row and row.label not in labels and _draws(row.label, question.options[number - 1]):
        return row.label
    return label


def _draws(shown: str, option: QuestionOption) -> bool:
    """Return True if a row may be this option: cut, or read with some of its description."""
    letters, label = _NOT_LETTERS.sub("", shown), option.label
    if not letters or not _NOT_LETTERS.sub("", label):
        return _unquoted(shown) == _unquoted(label)
    if shown.endswith(_CUT):
        return _NOT_LETTERS.sub("", label).startswith(letters)
    return letters in accumulate(_NOT_LETTERS.split(f"{label} {option.description or ''}"))


def _unquoted(text: str) -> str:
    return drawn(text).strip(_QUOTES)


def choose(
    parsed: ParsedPrompt, label: str, profile: KeyProfile, progress: Any = None
) -> Steps | None:
    """Return the next key towards this row or the deciding one, or None if it is missing."""
    row, key = parsed.row(label), parsed.key(label)
    if key and not parsed.in_field_row:
        return profile.decide(key)
    if row is None:
        return look_for(parsed, profile, progress)
    return profile.decide() if row.selected else move_to(parsed, row, progress)


def move_to(parsed: ParsedPrompt, row: OptionRow, progress: Any = None) -> Steps:
    """Press the arrow that leads from the cursor to a visible row."""
    place = operator.attrgetter("column" if parsed.axis == "across" else "first")
    selected = next((place(drawn) for drawn in parsed.drawn if drawn.selected), 0)
    back, forward = parsed.arrows
    return press(forward if selected < place(row) else back, progress)


def look_for(parsed: ParsedPrompt, profile: KeyProfile, progress: Any = None) -> Steps | None:
    """Move one row on in a list longer than its window, or return None."""
    return (
        press(parsed.arrows[1], progress) if parsed.form.more_options and profile.scrolls else None
    )


def press(key: str, progress: Any = None) -> Steps:
    """Press one key that decides nothing."""
    return Steps((Press(key),), progress=progress)
