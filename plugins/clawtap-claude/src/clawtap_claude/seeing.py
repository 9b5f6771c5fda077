"""One key at a time: the next is pressed when the last one shows.

A screen may be read between a key and its effect. What moves or ticks would then be pressed
twice, and Enter would meet another row than the one that was read: a key that does not show is
never pressed again.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.choosing import SETTLED
from clawtap_claude.reading import Reading
from clawtap_core import Pause, Steps, Type

_PATIENCE = 25
_MOMENT = 0.1


@dataclass(frozen=True, slots=True)
class Pressed:
    """What the list looked like when keys were pressed that should change it.

    `then` is the progress of the answer, `waited` how often the screen was looked at since.
    """

    before: Hashable
    then: Any
    waited: int = 0


def shows(now: Reading, done: Pressed) -> bool:
    """Whether the keys have done something."""
    return look(now) != done.before


def wait(done: Pressed) -> Steps | None:
    """Another moment for keys that do not show yet; None when they never will."""
    if done.waited >= _PATIENCE:
        return None
    return Steps((Pause(_MOMENT),), progress=replace(done, waited=done.waited + 1))


def remembered(now: Reading, steps: Steps | None, *, first: bool) -> Steps | None:
    """The steps; when they decide nothing yet, with what the list looked like before.

    Before the very first key a moment passes: what was just painted does not take keys yet.
    """
    if steps is None or steps.done or not steps.steps or isinstance(steps.steps[0], Pause):
        return steps
    keys = (Pause(SETTLED), *steps.steps) if first else steps.steps
    if any(isinstance(step, Type) for step in steps.steps):
        # Whoever types text waits for it himself.
        return replace(steps, steps=keys)
    return replace(steps, steps=keys, progress=Pressed(look(now), steps.progress))


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
