"""When to capture a pane that has output: at once, but a mere spinner once a second.

A CLI at work draws its spinner ten times a second, for hours; capturing each frame would be waste.
Output larger than the spinner's is a reason to capture at once.
"""

from __future__ import annotations

from clawtap_core.model import Screen

FAST, SLOW = 0.03, 1.0
"""Seconds between two captures."""
_CALM = 12
_ROWS = 2
_MORE = 64


class CaptureRate:
    """The capture rate of one pane, from the size of its output and its captures.

    A screen that changes only a row or two in many consecutive captures is a spinner.
    """

    def __init__(self) -> None:
        self._calm = 0
        self._usual = 0

    def interval(self, size: int) -> float:
        """Return the seconds from the last capture to the next, after this much output."""
        if self._calm < _CALM or size > 2 * self._usual + _MORE:
            return FAST
        return SLOW

    def heard(self, size: int) -> None:
        """Record the size of one piece of output."""
        if self._calm < _CALM:
            self._usual = max(self._usual, size)

    def captured(self, before: Screen | None, after: Screen) -> None:
        """Record a capture."""
        if before and _spins(before, after):
            self._calm += 1
        else:
            self._calm = self._usual = 0


def _spins(before: Screen, after: Screen) -> bool:
    if len(before.captured) != len(after.captured):
        return False
    pairs = zip(before.captured, after.captured, strict=True)
    return sum(old != new for old, new in pairs) <= _ROWS
