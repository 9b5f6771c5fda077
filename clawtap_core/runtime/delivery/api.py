"""What a delivery needs from the side that asks for it, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Protocol

from clawtap_core.model import Screen, Step, Steps


class Delivered(Enum):
    """How a delivery ended. `gone`: its CLI did, after a deciding key, and nothing says why.

    `refused`: the CLI does not take what was typed, and says so.
    """

    DONE = "done"
    CHANGED = "changed"
    IMPOSSIBLE = "impossible"
    STUCK = "stuck"
    REFUSED = "refused"
    NOT_CONFIRMED = "not_confirmed"
    GONE = "gone"


class Guard(Protocol):
    """What a delivery may type into, and when it is over."""

    def allows(self, screen: Screen) -> bool:
        """Return True if keys may be sent while this screen stands."""

    def unmoved(self, asked: Screen, now: Screen, *, cursor: bool) -> bool:
        """Return True if steps for one screen fit another; `cursor`: they depend on its row."""

    def over(self, screen: Screen) -> bool:
        """Return True if the screen shows that a deciding key was taken."""

    def lost_sight(self) -> bool:
        """Return True if a screen that `over` saw had clearly lost what was decided."""

    def another(self, screen: Screen) -> bool:
        """Return True if the screen shows a prompt."""

    def may_ask(self, screen: Screen) -> bool:
        """Return True if a prompt may be there, though it cannot be read."""

    def held_back(self, screen: Screen) -> bool:
        """Return True if the CLI shows its prompt again once nobody types."""

    def landmark(self, screen: Screen) -> str | None:
        """Return a text that is shown only while keys may be sent, "" if there is none.

        None if a deciding key may follow a key of somebody else.
        """

    def needs_quiet(self) -> bool:
        """Return True if what others typed must have shown before the first key.

        A command that they entered may yet open a list, which would take the keys.
        """


class StepJournal(Protocol):
    """Where the steps of a delivery are written."""

    def __call__(self, steps: Sequence[Step], *, withheld: str = "") -> None:
        """Write steps that are about to be typed, or why these were not typed after all."""


Next = Callable[[Screen, Any], Steps | None]
