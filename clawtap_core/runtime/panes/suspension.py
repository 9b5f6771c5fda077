"""A CLI that Ctrl+Z suspended in a pane without a shell, where nobody can continue it.

The CLI gives the terminal back, says so on the screen, and sends itself the signal that stops a
job of a shell. Without a shell the system discards that signal: the CLI runs, and waits for the
signal to continue. tmux sends that signal to a program of a pane that did stop.
"""

from __future__ import annotations

from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.api import Pane


class Suspension:
    """Whether a CLI is suspended; if so, it gets the signal to continue and some time to do it."""

    def __init__(self, timings: Timings) -> None:
        self._timings = timings
        self._took_keys = False
        self._since: float | None = None
        self._resumed = False

    def shows_itself(self, pane: Pane, *, asks: bool) -> None:
        """Record that the screen is the CLI's own; `asks`: a prompt appeared on it."""
        self._since, self._resumed = None, False
        # A program that reads lines anyway does not give its terminal back.
        if asks or not self._took_keys:
            self._took_keys = pane.takes_keys()

    def lasts(self, pane: Pane, now: float) -> bool:
        """Return True if a CLI in the foreground left this screen and is to continue."""
        if not self._took_keys or pane.takes_keys():
            return False
        self._since = now if self._since is None else self._since
        # A shell takes a moment to come to the foreground.
        if not self._resumed and now - self._since >= self._timings.shell_returns:
            self._resumed = True
            pane.resume()
        return now - self._since < self._timings.suspended
