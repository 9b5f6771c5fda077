"""Work that costs much is done for no more than a share of the time; what costs little, at once."""

from __future__ import annotations

import time
from collections.abc import Callable

SHARE = 0.1
"""The share of one core that the work may take in the long run."""
AT_ONCE = 0.5
"""So many seconds of rest may be owed before the work has to wait."""


class CpuBudget:
    """Says when there was rest enough after what the work has cost so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._rested = clock()

    def allows(self) -> bool:
        """Whether the work may be done now."""
        return self._rested - self.clock() <= AT_ONCE

    def took(self, seconds: float) -> None:
        """The work was done, and took so long."""
        self._rested = max(self._rested, self.clock() - seconds) + seconds / SHARE
