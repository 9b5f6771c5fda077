"""Writing free text: the field is focused, filled, read back, and only then is Enter pressed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clawtap_core import Paste, Pause, Press, Step, Steps, Type
from clawtap_core.fingerprint import squeeze
from clawtap_gemini.choosing import LAST_DIGIT, Moving, move, towards
from clawtap_gemini.reading import Field, Reading

_PATIENCE = 4
_TAIL = 20
_AT_ONCE = 60
SETTLED = 0.2
"""Longer than the CLI takes a fast Enter for a newline."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What was done so far: keys to reach the field, whether the text was typed, rounds waited."""

    moving: Moving = field(default_factory=Moving)
    typed: bool = False
    waited: int = 0


def write(now: Reading, text: str, done: Writing) -> Steps | None:
    """The next steps of free text. None: no field can be found for it, or it takes none."""
    place = now.field
    if place is None or not place.focused:
        return _go(now, done)
    if _filled(now, place, text, done):
        return Steps((Press("Enter", deciding=True),), done=True)
    if done.typed and done.waited < _PATIENCE:
        return Steps((), progress=replace(done, waited=done.waited + 1))
    if done.typed and not place.text:
        return None
    if place.text:
        return Steps(clearing(place), progress=replace(done, typed=False, waited=0))
    return Steps((typing(text), Pause(SETTLED)), progress=replace(done, typed=True))


def typing(text: str) -> Step:
    """Text of one line as key presses, other text as a paste."""
    return Type(text) if text.isprintable() else Paste(text)


def clearing(place: Field) -> tuple[Step, ...]:
    """Keys that empty a field; Ctrl+C would cancel the prompt if the field were empty."""
    return (Press("End"), *[Press("BSpace")] * min(len(place.text) + 2, _AT_ONCE), Pause(SETTLED))


def _go(now: Reading, done: Writing) -> Steps | None:
    """The next key towards the field. A digit would submit what an earlier hand left in it."""
    row = now.field.row if now.field else None
    if row is None and not now.form.more_options:
        return None
    key = "Down" if row is None else towards(now, row)
    empty = now.field is not None and not now.field.text
    if row and row.number and row.number <= LAST_DIGIT and empty and now.digits and not now.several:
        key = str(row.number)
    steps = move(key, now, done.moving)
    return replace(steps, progress=replace(done, moving=steps.progress)) if steps else None


def _filled(now: Reading, place: Field, text: str, done: Writing) -> bool:
    """Whether the field holds the text; of a long one, its end is shown."""
    held, wanted = squeeze(place.text), squeeze(text)
    if not wanted:
        return not held
    if any(question.secret for question in now.form.questions):
        return done.typed and bool(held)
    return held == wanted or (done.typed and len(held) >= _TAIL and wanted.endswith(held))
