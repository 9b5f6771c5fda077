"""A limit on the share of CPU time that repeated work may take."""

from __future__ import annotations

import time
from collections.abc import Callable

SHARE = 0.1  # of one core that the work may take in the long run
AT_ONCE = 0.5  # seconds of rest that may be owed before the work has to wait


class CpuBudget:
    """A budget that allows cheap work at once, and makes expensive work wait."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._rested = clock()

    def allows(self) -> bool:
        """Return True if the work may run now."""
        return self._rested - self.clock() <= AT_ONCE

    def took(self, seconds: float) -> None:
        """Charge the work's duration."""
        self._rested = max(self._rested, self.clock() - seconds) + seconds / SHARE
