"""Writing free text: the field is open, filled, read back, and only then is Enter pressed.

Letters are commands while the notes of a question are closed, so nothing is typed before they
are seen to be open.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clawtap_codex.choosing import Moving, move, towards
from clawtap_codex.reading import Field, Reading
from clawtap_core import Paste, Pause, Press, Step, Steps, Type
from clawtap_core.fingerprint import squeeze

_PATIENCE = 4
_TAIL = 20
_AT_ONCE = 60
SETTLED = 0.25
"""Longer than the CLI takes a fast Enter for a newline."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What was done so far: keys to reach the row, to open the field, to fill it; rounds waited."""

    moving: Moving = field(default_factory=Moving)
    opened: bool = False
    typed: bool = False
    waited: int = 0


def write(now: Reading, label: str | None, text: str, done: Writing) -> Steps | None:
    """The next steps of free text: into the notes of the row with this label, or into the field.

    None: there is no such row or field.
    """
    place = now.field
    if place is None:
        return None
    row = now.row(label) if label else None
    if place.notes and not place.focused:
        return _open(now, label, done)
    if row and not row.selected:
        return close(done)
    return _fill(place, " ".join(text.split()), done)


def close(done: Writing) -> Steps | None:
    """Close the notes that the desk opened, which clears them."""
    if done.waited >= _PATIENCE:
        return None
    return Steps((Press("Tab"), Pause(SETTLED)), progress=Writing(waited=done.waited + 1))


def _open(now: Reading, label: str | None, done: Writing) -> Steps | None:
    """Go to the row, and open its notes."""
    row = now.row(label or "")
    if row is None or not row.selected:
        if row is None and not now.form.more_options:
            return None
        steps = move(towards(now, row) if row else "Down", now, done.moving)
        return replace(steps, progress=replace(done, moving=steps.progress)) if steps else None
    if done.opened:
        return _wait(done)
    return Steps((Press("Tab"), Pause(SETTLED)), progress=replace(done, opened=True))


def _fill(place: Field, text: str, done: Writing) -> Steps | None:
    if _filled(place, text, done):
        return Steps((Pause(SETTLED), Press("Enter", deciding=True)), done=True)
    if done.typed and (place.text or done.waited < _PATIENCE):
        return _wait(done)
    if done.typed:
        return None
    if place.text:
        return Steps(_clearing(place.text), progress=replace(done, waited=0))
    return Steps((_typing(text), Pause(SETTLED)), progress=replace(done, typed=True))


def _wait(done: Writing) -> Steps | None:
    waits = replace(done, waited=done.waited + 1)
    return Steps(progress=waits) if done.waited < _PATIENCE else None


def _typing(text: str) -> Step:
    return Type(text) if text.isprintable() else Paste(text)


def _clearing(text: str) -> tuple[Step, ...]:
    return (Press("End"), *[Press("BSpace")] * min(len(text) + 2, _AT_ONCE), Pause(SETTLED))


def _filled(place: Field, text: str, done: Writing) -> bool:
    """Whether the field holds the text; of a long one its end is shown, of a hidden one nothing."""
    if place.text is None:
        return done.typed
    held, wanted = squeeze(place.text), squeeze(text)
    return held == wanted or (done.typed and len(held) >= _TAIL and wanted.endswith(held))
