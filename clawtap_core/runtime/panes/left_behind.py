"""What a CLI that is over has left on the screen, where a script may start the next one."""

from __future__ import annotations

from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.api import Pane


class LeftBehind:
    """For how long a pane may show a prompt of a CLI that is over.

    A script may have started another one in its place, which did not ask this.
    """

    def __init__(self, timings: Timings) -> None:
        self._timings = timings
        self._ended, self._ended_at = 0, float("-inf")

    def cli_ended(self, pane: Pane, now: float, *, covered: bool, asks: bool) -> bool:
        """Return whether a CLI has ended since the last call.

        `covered`: another program had its terminal. Then it was that one, as the desk's editor.
        """
        before, self._ended = self._ended, pane.ended_clis
        if before == self._ended or covered:
            return False
        if asks:
            self._ended_at = now
        return True

    def rest(self, now: float) -> float:
        """Return for how many seconds more what was left may stand there; 0 or less if not."""
        return self._ended_at + self._timings.left_behind - now
