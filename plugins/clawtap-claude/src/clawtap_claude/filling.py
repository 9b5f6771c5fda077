"""Filling in a form: one field after the other, each read back, then Accept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from clawtap_claude.choosing import decide
from clawtap_claude.forms import ACCEPT
from clawtap_claude.reading import Entry, Reading
from clawtap_claude.writing import Writing, holds, line
from clawtap_core import Press, Step, Steps, Type

KEYS = 38
_TRUE = ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True)
class Filling:
    """How many keys were pressed, and the fields that are as wanted."""

    keys: int = 0
    right: frozenset[str] = frozenset()
    writing: Writing = field(default_factory=Writing)


def fill_in(now: Reading, answers: Mapping[str, str], done: Filling) -> Steps | None:
    """The next key of a form. `answers` are keyed by the names of the fields."""
    if done.keys >= KEYS:
        return None
    wrong = [entry for entry in now.entries if _open(entry, answers, done)]
    if not wrong:
        return press_button(now, ACCEPT, done)
    entry = wrong[0]
    if entry.selected or entry.choices:
        return _set(entry, answers[entry.name], done)
    return _press(_towards(now, entry), done)


def press_button(now: Reading, label: str, done: Filling) -> Steps | None:
    """The next key towards a button, and Enter on it."""
    if done.keys >= KEYS:
        return None
    row = now.row(label)
    if row is None:
        return None
    if any(entry.choices for entry in now.entries):
        return _press("Enter", done)
    if row.selected:
        return decide("Enter")
    after = label == ACCEPT and any(each.selected for each in now.rows)
    return _press("Left" if after else "Down", done)


def _open(entry: Entry, answers: Mapping[str, str], done: Filling) -> bool:
    return entry.name in answers and entry.name not in done.right


def _towards(now: Reading, entry: Entry) -> str:
    names = [each.name for each in now.entries]
    here = next((at for at, each in enumerate(now.entries) if each.selected), len(names))
    return "Down" if here < names.index(entry.name) else "Up"


def _set(entry: Entry, answer: str, done: Filling) -> Steps | None:
    """The next key of the field that the cursor is on."""
    if entry.choices:
        return _pick(entry, answer, done)
    if entry.folded:
        if holds(entry.value, answer):
            return _next(entry, done)
        return _press("Right", done)
    if entry.ticked is not None:
        wanted = answer.casefold() in _TRUE
        return _next(entry, done) if entry.ticked is wanted and not entry.empty else _toggle(done)
    return _write(entry, line(answer), done)


def _pick(entry: Entry, answer: str, done: Filling) -> Steps | None:
    labels = [choice.label for choice in entry.choices]
    here = next((at for at, choice in enumerate(entry.choices) if choice.selected), None)
    if answer not in labels or here is None:
        return None
    there = labels.index(answer)
    if here == there:
        # Enter takes the value and goes on to the next field.
        right = done.right | {entry.name}
        return Steps((Press("Enter"),), progress=replace(done, keys=done.keys + 1, right=right))
    return _press("Down" if here < there else "Up", done)


def _toggle(done: Filling) -> Steps:
    return _press("Space", done)


def _write(entry: Entry, text: str, done: Filling) -> Steps | None:
    if holds(entry.value, text):
        return _next(entry, done)
    if done.writing.typed and done.writing.waited < 4:
        waits = replace(done.writing, waited=done.writing.waited + 1)
        return Steps((), progress=replace(done, writing=waits))
    erase: tuple[Step, ...] = tuple(Press("BSpace") for _ in entry.value[:60])
    typed = replace(done, keys=done.keys + 1, writing=Writing(typed=True))
    return Steps((*erase, Type(text)), progress=typed)


def _next(entry: Entry, done: Filling) -> Steps:
    """Down from a field that is as wanted."""
    right = done.right | {entry.name}
    return Steps((Press("Down"),), progress=Filling(done.keys + 1, right), done=False)


def _press(key: str, done: Filling) -> Steps:
    return Steps((Press(key),), progress=replace(done, keys=done.keys + 1))
