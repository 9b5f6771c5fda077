"""How soon a pane that has output is captured: at once, but a mere spinner only once a second.

A CLI at work draws its spinner ten times a second, for hours. Where nothing else changes, the
captures of that are spared; output that is larger than the spinner's is a reason to look at once.
"""

from __future__ import annotations

from clawtap_core.model import Screen

FAST, SLOW = 0.03, 1.0
"""Seconds between two captures."""
_CALM = 12
_ROWS = 2
_MORE = 64


class CaptureRate:
    """The pace of one pane, from the size of its output and from what its captures show.

    A screen of which a row or two have changed, many captures in a row, is one that only spins.
    """

    def __init__(self) -> None:
        self._calm = 0
        self._usual = 0

    def interval(self, size: int) -> float:
        """For this much output, how many seconds after the last capture the next one is due."""
        if self._calm < _CALM or size > 2 * self._usual + _MORE:
            return FAST
        return SLOW

    def heard(self, size: int) -> None:
        """So much was written at once."""
        if self._calm < _CALM:
            self._usual = max(self._usual, size)

    def captured(self, before: Screen | None, now: Screen) -> None:
        """A capture shows this."""
        if before and _spins(before, now):
            self._calm += 1
        else:
            self._calm = self._usual = 0


def _spins(before: Screen, now: Screen) -> bool:
    if len(before.captured) != len(now.captured):
        return False
    pairs = zip(before.captured, now.captured, strict=True)
    return sum(one != other for one, other in pairs) <= _ROWS
