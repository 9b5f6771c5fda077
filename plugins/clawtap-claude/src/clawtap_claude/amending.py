"""Refusing with a reason: Tab opens a text field on the row that says no."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clawtap_claude.choosing import MOVES, decide, towards
from clawtap_claude.reading import Reading
from clawtap_claude.writing import Writing, line, typed
from clawtap_core import Press, Steps


@dataclass(frozen=True, slots=True)
class Amending:
    """How many keys were pressed, and how the text is getting on."""

    keys: int = 0
    writing: Writing = field(default_factory=Writing)


def amend(now: Reading, label: str, text: str, done: Amending) -> Steps | None:
    """The next steps: the cursor to the row, Tab, the text, and Enter when it was read back."""
    row = now.row(label)
    if row is None or done.keys >= MOVES:
        return None
    if not row.selected:
        return _press(towards(now, row), done)
    if now.amended is None:
        return _press("Tab", done)
    steps = typed(now.amended, line(text), done.writing)
    if steps is None or not steps.done:
        return steps and replace(steps, progress=replace(done, writing=steps.progress))
    return decide("Enter")


def _press(key: str, done: Amending) -> Steps:
    return Steps((Press(key),), progress=replace(done, keys=done.keys + 1))
