"""Ticking several rows: only those that differ are toggled, all are read back, then Submit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from clawtap_claude.choosing import MOVES, choose, decide, towards
from clawtap_claude.reading import Reading
from clawtap_claude.writing import Writing, clearing, fill, holds, line
from clawtap_core import Press, Steps
from clawtap_core.reading import OptionRow


@dataclass(frozen=True, slots=True)
class Ticking:
    """How many keys were pressed, and how the text is getting on."""

    keys: int = 0
    writing: Writing = field(default_factory=Writing)


def tick(now: Reading, labels: Collection[str], text: str, done: Ticking) -> Steps | None:
    """The next key of an answer with several labels, and free text beside them."""
    if apart := next((label for label in labels if label in now.aside), None):
        return choose(now, apart, done.keys)
    if done.keys >= MOVES:
        return None
    listed = [row for row in now.rows if row.label not in now.aside]
    wrong = [row for row in listed if row.checked != (row.label in labels)]
    if wrong:
        return _toggle(now, wrong[0], done)
    if text and not (now.field and holds(now.field.text, line(text))):
        steps = fill(now, text, done.writing)
        if steps is None or not steps.done:
            return steps and replace(steps, progress=replace(done, writing=steps.progress))
    elif not text and now.field and now.field.text:
        return _empty(now, done)
    return _finish(now, done)


def _toggle(now: Reading, row: OptionRow, done: Ticking) -> Steps:
    focused = now.field is not None and now.field.focused
    if row.number and row.number <= 9 and not focused:
        return _press(str(row.number), done)
    return _press("Space" if row.selected else towards(now, row), done)


def _empty(now: Reading, done: Ticking) -> Steps:
    """A text that is not ours would be sent too."""
    if now.field and now.field.focused:
        return Steps(clearing(now.field.text), progress=replace(done, keys=done.keys + 1))
    assert now.field is not None  # noqa: S101 - asked for by the caller
    return _press(towards(now, now.field.row), done)


def _finish(now: Reading, done: Ticking) -> Steps | None:
    if now.steer is None:
        return None
    if now.steer.selected:
        return decide("Enter")
    return _press(towards(now, now.steer), done)


def _press(key: str, done: Ticking) -> Steps:
    return Steps((Press(key),), progress=replace(done, keys=done.keys + 1))
