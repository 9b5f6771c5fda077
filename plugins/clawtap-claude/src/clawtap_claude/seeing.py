"""One key at a time: the next is pressed when the last one shows.

A screen may be read between a key and its effect. What moves or ticks would then be pressed
twice, and Enter would meet another row than the one that was read.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.reading import Reading
from clawtap_core import Pause, Steps

_PATIENCE = 12
_MOMENT = 0.1


@dataclass(frozen=True, slots=True)
class Pressed:
    """What the list looked like when keys were pressed that should change it.

    `then` is the progress of the answer, `waited` how often the screen was looked at since.
    """

    before: Hashable
    then: Any
    waited: int = 0


def unseen(now: Reading, done: Pressed) -> Steps | None:
    """Another moment, while the keys do not show yet; None when they do, or never will."""
    if look(now) != done.before or done.waited >= _PATIENCE:
        return None
    return Steps((Pause(_MOMENT),), progress=replace(done, waited=done.waited + 1))


def remembered(now: Reading, steps: Steps | None) -> Steps | None:
    """The steps; when they decide nothing yet, with what the list looked like before."""
    if steps is None or steps.done or not steps.steps or isinstance(steps.steps[0], Pause):
        return steps
    return replace(steps, progress=Pressed(look(now), steps.progress))


def look(now: Reading) -> Hashable:
    """All of a list that a key may change."""
    field = now.field
    return (
        tuple((row.label, row.selected, row.checked) for row in now.rows),
        (field.focused, field.text) if field else None,
        now.steer.selected if now.steer else None,
        now.amended,
        now.entries,
    )
