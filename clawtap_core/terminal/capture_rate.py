"""When to capture a pane that has output: at once, but a mere spinner once a second.

A CLI at work draws its spinner ten times a second, for hours; capturing each frame would be waste.
Output larger than the spinner's is a reason to capture at once.
"""

from __future__ import annotations

from clawtap_core.model import Screen

# Seconds between two captures.
FAST, SLOW = 0.03, 1.0
# A screen shows only a spinner after this many captures that each changed no more than these rows.
_SPINNING = 12
_ROWS = 2
# Output this much larger than twice the usual, in bytes, is more than a spinner's.
_MARGIN = 64


class CaptureRate:
    """The capture rate of one pane, from the size of its output and its captures.

    A screen that changes only a row or two in many consecutive captures is a spinner.
    """

    def __init__(self) -> None:
        self._still_captures = 0
        self._usual_size = 0

    def interval(self, size: int) -> float:
        """Return the seconds from the last capture to the next, after this much output."""
        if self._still_captures < _SPINNING or size > 2 * self._usual_size + _MARGIN:
            return FAST
        return SLOW

    def add_output(self, size: int) -> None:
        """Record the size of one piece of output."""
        if self._still_captures < _SPINNING:
            self._usual_size = max(self._usual_size, size)

    def captured(self, before: Screen | None, after: Screen) -> None:
        """Record a capture."""
        if before and _spins(before, after):
            self._still_captures += 1
        else:
            self._still_captures = self._usual_size = 0


def _spins(before: Screen, after: Screen) -> bool:
    if len(before.captured) != len(after.captured):
        return False
    pairs = zip(before.captured, after.captured, strict=True)
    return sum(old != new for old, new in pairs) <= _ROWS
