"""Refusing with a reason: Tab opens a text field on the row that says no."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clawtap_claude.choosing import MOVES, decide, towards
from clawtap_claude.reading import Reading
from clawtap_claude.writing import Writing, line, typed
from clawtap_core import Pause, Press, Steps

_PATIENCE = 5


@dataclass(frozen=True, slots=True)
class Amending:
    """How many keys were pressed, how long the field is waited for, how the text is getting on."""

    keys: int = 0
    opened: bool = False
    waited: int = 0
    writing: Writing = field(default_factory=Writing)


def amend(now: Reading, label: str, text: str, done: Amending) -> Steps | None:
    """The next steps: the cursor to the row, Tab, the text, and Enter when it was read back.

    Only on rows that have a field does the CLI offer it: on the others, Enter is all there is.
    """
    row = now.row(label)
    if row is None or done.keys >= MOVES:
        return None
    if not row.selected:
        return _press(towards(now, row), done)
    if now.amended is None:
        return _open(now, done)
    steps = typed(now.amended, line(text), done.writing)
    if steps is None or not steps.done:
        return steps and replace(steps, progress=replace(done, writing=steps.progress))
    return decide("Enter")


def _open(now: Reading, done: Amending) -> Steps | None:
    """Tab, once: a second one would close the field that the first is about to open."""
    if now.amends and not done.opened:
        return _press("Tab", replace(done, opened=True, waited=0))
    if done.waited < _PATIENCE:
        # The line that offers it is painted last.
        return Steps((Pause(0.1),), progress=replace(done, waited=done.waited + 1))
    return None if done.opened else decide("Enter")


def _press(key: str, done: Amending) -> Steps:
    return Steps((Press(key),), progress=replace(done, keys=done.keys + 1))
