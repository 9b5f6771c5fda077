"""Which conversation of its CLI a session in a pane holds: its id and its transcript, by hooks.

A CLI may run inside another: a tool of the one in the pane starts it, and it inherits the pane.
Its hooks are none of the session's.
"""

from __future__ import annotations

import threading
from typing import Protocol

from clawtap_core.model import HookReport, SessionState
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore

_OCCUPIED = (SessionState.BUSY, SessionState.WAITING)
_AGAIN = ("clear", "resume", "compact")


class Follower(Protocol):
    """Who reads the transcripts of sessions."""

    def follow(self, session_id: str, cli_session_id: str, path: str | None = None) -> None:
        """The session holds this conversation, kept in this file."""


class ConversationBinder:
    """What sessions are bound to; `follower` reads it."""

    def __init__(self, store: StateStore, follower: Follower) -> None:
        self._store = store
        self._follower = follower
        self._lock = threading.Lock()
        self._ended: set[str] = set()

    def admits(self, live: PaneSession, report: HookReport) -> bool:
        """Whether a hook that ran in a session's pane is that of its CLI; then it is bound."""
        with self._lock:
            current = self._store.session(live.id).cli_session_id
            if report.cli_session_id is None or report.cli_session_id == current:
                ours = True
            else:
                ours = self._begins(live, current, report)
            if ours:
                self._note(live.id, report)
                self.bind(live.id, report)
            return ours

    def bind(self, session_id: str, report: HookReport) -> None:
        """Say which conversation a session holds now."""
        if report.cli_session_id:
            self._follower.follow(session_id, report.cli_session_id, report.transcript)

    def _begins(self, live: PaneSession, current: str | None, report: HookReport) -> bool:
        """Whether another conversation begins in the pane, not one inside the one that runs."""
        if current is None or current in self._ended or report.conversation_start in _AGAIN:
            return True
        return live.seen.state not in _OCCUPIED

    def _note(self, session_id: str, report: HookReport) -> None:
        if report.cli_session_id and report.state is SessionState.ENDED:
            self._ended.add(report.cli_session_id)
        elif report.cli_session_id:
            self._ended.discard(report.cli_session_id)
