"""Fill in a form field by field, reading each back, then accept it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from clawtap_claude.keys.profile import KEYS
from clawtap_claude.screen.form_fields import FormField, ParsedForm
from clawtap_claude.screen.forms import ACCEPT
from clawtap_claude.words import WORDS
from clawtap_core import Steps
from clawtap_core.keystrokes import TextProgress, holds, line, press, put
from clawtap_core.screens import drawn

_ROW = 40
_TRUE = WORDS.texts("form.true")


@dataclass(frozen=True, slots=True)
class FormProgress:
    """The fields that are right, and the progress of the text in the open one."""

    right: frozenset[str] = frozenset()
    writing: TextProgress = field(default_factory=TextProgress)


def fill_in(parsed: ParsedForm, answers: Mapping[str, str], progress: FormProgress) -> Steps | None:
    """Return the next key of a form; `answers` are keyed by the fields' names."""
    left = answers.keys() - progress.right
    at = next((at for at, entry in enumerate(parsed.entries) if entry.name in left), None)
    if at is None and left:
        # They are out of sight, or not on this form: it is not accepted without them.
        return press("Down", progress) if "↓" in parsed.hidden else None
    if at is None:
        return press_button(parsed, ACCEPT, progress)
    entry = parsed.entries[at]
    if entry.selected or entry.choices:
        return _fill_selected(entry, answers[entry.name], progress)
    return press("Down" if selected_index(parsed) < at else "Up", progress)


def press_button(parsed: ParsedForm, label: str, progress: FormProgress) -> Steps | None:
    """Return the next key towards a button, or Enter on it."""
    row = parsed.row(label)
    if row is None:
        return None
    if any(entry.choices for entry in parsed.entries):
        return press("Enter", progress)
    if row.selected:
        return KEYS.decide()
    after = label == ACCEPT and any(each.selected for each in parsed.rows)
    return press("Left" if after else "Down", progress)


def selected_index(parsed: ParsedForm) -> int:
    """Return the index of the selected field, or the number of fields on a button."""
    return next((at for at, e in enumerate(parsed.entries) if e.selected), len(parsed.entries))


def _fill_selected(entry: FormField, answer: str, progress: FormProgress) -> Steps | None:
    if entry.choices:
        return _pick(entry, answer, progress)
    if entry.folded:
        right = holds(entry.value, answer)
        return _leave("Down", entry, progress) if right else press("Right", progress)
    if entry.ticked is not None:
        right = entry.ticked is (answer.casefold() in _TRUE) and not entry.empty
        return _leave("Down", entry, progress) if right else press("Space", progress)
    return _write(entry, line(answer), progress)


def _pick(entry: FormField, answer: str, progress: FormProgress) -> Steps | None:
    labels = [choice.label for choice in entry.choices]
    here = next((at for at, choice in enumerate(entry.choices) if choice.selected), None)
    if answer not in labels or here is None:
        return None
    there = labels.index(answer)
    if here == there:
        # Enter takes the value and leads to the next field.
        return _leave("Enter", entry, progress)
    return press("Down" if here < there else "Up", progress)


def _write(entry: FormField, text: str, progress: FormProgress) -> Steps | None:
    shown = drawn(entry.value)
    # Of a text that is longer than the row the CLI shows the last words only; at the end of the
    # desk's text they prove nothing.
    ends = holds(entry.value, text) or (len(text) > _ROW and drawn(text).endswith(shown))
    arrived = progress.writing.typed and bool(shown) and ends
    if arrived or shown == drawn(text):
        return _leave("Down", entry, progress)
    steps = put(entry.value, text, progress.writing, KEYS)
    return steps and replace(steps, progress=replace(progress, writing=steps.progress))


def _leave(key: str, entry: FormField, progress: FormProgress) -> Steps:
    return press(key, FormProgress(progress.right | {entry.name}))
