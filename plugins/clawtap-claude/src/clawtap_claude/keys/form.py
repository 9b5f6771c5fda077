"""Filling in a form: one field after the other, each read back, then Accept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from clawtap_claude.keys.profile import HANDS
from clawtap_claude.screen.forms import ACCEPT
from clawtap_claude.screen.parsed_form import Entry, FormReading
from clawtap_core import Pause, Press, Step, Steps, Type
from clawtap_core.keystrokes import holds, line, press

_PATIENCE = 4
_TRUE = ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True)
class Filling:
    """The fields that are as wanted; whether text was typed, and how long it is waited for."""

    right: frozenset[str] = frozenset()
    typed: bool = False
    waited: int = 0


def fill_in(now: FormReading, answers: Mapping[str, str], done: Filling) -> Steps | None:
    """The next key of a form. `answers` are keyed by the names of the fields."""
    wrong = [entry for entry in now.entries if _open(entry, answers, done)]
    if not wrong:
        return press_button(now, ACCEPT, done)
    entry = wrong[0]
    if entry.selected or entry.choices:
        return _set(entry, answers[entry.name], done)
    return press(_towards(now, entry), done)


def press_button(now: FormReading, label: str, done: Filling) -> Steps | None:
    """The next key towards a button, and Enter on it."""
    row = now.row(label)
    if row is None:
        return None
    if any(entry.choices for entry in now.entries):
        return press("Enter", done)
    if row.selected:
        return HANDS.decide()
    after = label == ACCEPT and any(each.selected for each in now.rows)
    return press("Left" if after else "Down", done)


def _open(entry: Entry, answers: Mapping[str, str], done: Filling) -> bool:
    return entry.name in answers and entry.name not in done.right


def _towards(now: FormReading, entry: Entry) -> str:
    names = [each.name for each in now.entries]
    here = next((at for at, each in enumerate(now.entries) if each.selected), len(names))
    return "Down" if here < names.index(entry.name) else "Up"


def _set(entry: Entry, answer: str, done: Filling) -> Steps | None:
    """The next key of the field that the cursor is on."""
    if entry.choices:
        return _pick(entry, answer, done)
    if entry.folded:
        right = holds(entry.value, answer)
        return _next("Down", entry, done) if right else press("Right", done)
    if entry.ticked is not None:
        right = entry.ticked is (answer.casefold() in _TRUE) and not entry.empty
        return _next("Down", entry, done) if right else press("Space", done)
    return _write(entry, line(answer), done)


def _pick(entry: Entry, answer: str, done: Filling) -> Steps | None:
    labels = [choice.label for choice in entry.choices]
    here = next((at for at, choice in enumerate(entry.choices) if choice.selected), None)
    if answer not in labels or here is None:
        return None
    there = labels.index(answer)
    if here == there:
        # Enter takes the value and goes on to the next field.
        return _next("Enter", entry, done)
    return press("Down" if here < there else "Up", done)


def _write(entry: Entry, text: str, done: Filling) -> Steps | None:
    if holds(entry.value, text):
        return _next("Down", entry, done)
    if done.typed and done.waited < _PATIENCE:
        return Steps((Pause(0.1),), progress=replace(done, waited=done.waited + 1))
    erase: tuple[Step, ...] = tuple(Press("BSpace") for _ in entry.value[:60])
    return Steps((*erase, Type(text)), progress=replace(done, typed=True, waited=0))


def _next(key: str, entry: Entry, done: Filling) -> Steps:
    """Leave a field that is as wanted."""
    return press(key, Filling(done.right | {entry.name}))
