"""Binding a session in a pane to the conversation that its CLI's hooks name.

A tool of the CLI may run another CLI in the same pane, whose hooks are ignored.
"""

from __future__ import annotations

import threading
from typing import Protocol

from clawtap_core.model import HookReport, SessionState
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore

_OCCUPIED = (SessionState.BUSY, SessionState.WAITING)
_RESTARTS = ("clear", "resume", "compact", "fork")


class Follower(Protocol):
    """The reader of transcripts."""

    def follow(self, session_id: str, cli_session_id: str, path: str | None = None) -> None:
        """Bind the session to this conversation and its file."""

    def doubt(self, session_id: str, cli_session_id: str) -> None:
        """Note a conversation that may be the session's by now."""


class ConversationBinder:
    """The binding of sessions; `follower` reads their transcripts."""

    def __init__(self, store: StateStore, follower: Follower) -> None:
        self._store = store
        self._follower = follower
        self._lock = threading.Lock()
        self._ended: set[str] = set()

    def admits(self, session: PaneSession, report: HookReport) -> bool:
        """Return True if a hook belongs to the session's CLI, and bind the session to it."""
        with self._lock:
            current = self._store.session(session.id).cli_session_id
            named = report.cli_session_id
            if named not in (None, current) and not self._starts_another(session, current, report):
                # It may be the session's own: Codex reports a new one as a CLI that starts.
                self._follower.doubt(session.id, named)
                return False
            if named and report.state is SessionState.ENDED:
                self._ended.add(named)
            elif named:
                self._ended.discard(named)
            self.bind(session.id, report)
            return True

    def bind(self, session_id: str, report: HookReport) -> None:
        """Bind a session to the conversation of a report."""
        if report.cli_session_id:
            self._follower.follow(session_id, report.cli_session_id, report.transcript)

    def _starts_another(
        self, session: PaneSession, current: str | None, report: HookReport
    ) -> bool:
        if current is None or current in self._ended or report.conversation_start in _RESTARTS:
            return True
        # While the CLI works, another CLI in its pane was started by one of its tools.
        return session.seen.state not in _OCCUPIED
