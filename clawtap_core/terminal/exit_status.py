"""How long tmux may take to learn the status of a program that ended."""

from __future__ import annotations

import time

from clawtap_core.terminal.foreground import uncollected

_COLLECTED = 10.0  # seconds in which a busy tmux collects its child


class ExitStatusWait:
    """The wait for the exit status of one program, once its end is expected."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid, self._seconds = pid, seconds
        self._until = float("inf")

    def begin(self) -> None:
        """Expect the status from now on."""
        self._until = min(self._until, time.monotonic() + self._seconds)

    def lasts(self) -> bool:
        """Return True if the status is expected, and tmux may still learn it."""
        left = self._until - time.monotonic()
        if left > 0:
            return left < float("inf")
        return left > -_COLLECTED and uncollected(self._pid)
