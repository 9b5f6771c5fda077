"""Noticing that a CLI has lent its terminal, as to the editor that Ctrl+G opens."""

from __future__ import annotations

from clawtap_core.model import Screen
from clawtap_core.terminal.api import Pane

# A CLI that works moves something on its screen; while an editor runs it stands still.
_STANDS_STILL = 1.5


class LentTerminal:
    """Whether what a pane shows is drawn by another program than the session's CLI.

    A tool that the CLI runs may have its terminal, too, but the CLI draws on. A program without a
    composer, such as a script, has no editor for it: what it starts on its terminal is its own.
    """

    def __init__(self) -> None:
        self._revision, self._drawn_at = 0, float("-inf")
        self._composes = self._lent = False

    def observe(
        self, pane: Pane, screen: Screen, now: float, *, composes: bool, asks: bool
    ) -> bool:
        """Take in a screen, which shows the CLI's own composer or prompt, or neither."""
        self._composes = self._composes or composes
        if screen.revision != self._revision:
            self._revision, self._drawn_at = screen.revision, now
        if composes or asks:
            pane.shows_cli()
            self._lent = False
        elif self._composes:
            still = self._lent or now - self._drawn_at >= _STANDS_STILL
            self._lent = still and pane.is_lent()
        return self._lent
