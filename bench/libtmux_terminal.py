"""The same terminal, whose panes are read and typed into through libtmux.

What is watched stays event driven, and whether the CLI runs is still read from /proc: only `look`,
`press` and `press_alone` are exchanged. Each asks tmux for what the real ones ask for, and for no
more.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import libtmux

from clawtap_core.model import Screen
from clawtap_core.terminal.api import DeskKeys, Pane, PaneListener
from clawtap_core.terminal.tmux import TmuxTerminal


class LibtmuxTerminal(TmuxTerminal):
    """TmuxTerminal with other panes."""

    def __init__(self, socket: str | None = None) -> None:
        super().__init__(socket)
        self._server = libtmux.Server(socket_name=socket)

    def watch(self, pane_id: str, listener: PaneListener) -> Pane:
        """Watch a pane."""
        return LibtmuxPane(self._server, super().watch(pane_id, listener))


class LibtmuxPane:
    """A pane that is read and typed into by tmux commands, a process each."""

    def __init__(self, server: libtmux.Server, inner: Pane) -> None:
        self._server = server
        self._inner = inner
        self.id = inner.id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @cached_property
    def _pane(self) -> libtmux.Pane:
        return libtmux.Pane.from_pane_id(pane_id=self.id, server=self._server)

    def look(self) -> Screen:
        """A fresh capture, with cursor, title and size."""
        self._pane.refresh()
        rows = self._pane.capture_pane(escape_sequences=True)
        known = self._inner.wait(-1, 0)
        return replace(known, captured=tuple(rows) if isinstance(rows, list) else (rows,))

    def press(self, key: str) -> None:
        """Press a key, unless the pane is in copy mode."""
        self._pane.refresh()
        if self._pane.pane_in_mode == "1":
            self._pane.cmd("send-keys", "-X", "cancel")
        self._pane.send_keys(key, enter=False, suppress_history=False)

    def press_alone(self, key: str, since: DeskKeys, shows: str, *, shut: bool = True) -> bool:
        """Press a key if the pane still shows a text; nobody sits at these panes."""
        if not any(shows in row for row in self._pane.capture_pane()):
            return False
        self.press(key)
        return True
