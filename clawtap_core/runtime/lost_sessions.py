"""Restoring the sessions that were lost when tmux, the machine or ClawTap stopped.

Each is resumed under its own id, so its queue, title and links stay.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clawtap_core.errors import ClawTapError
from clawtap_core.host import Adapter, Host
from clawtap_core.model import Restoration, RestoreOutcome, Session, SessionState
from clawtap_core.runtime.channel import PROTOCOL, TERMINAL
from clawtap_core.runtime.conversations import matching
from clawtap_core.runtime.conversations.service import Conversations
from clawtap_core.runtime.panes.manager import PaneSessions
from clawtap_core.runtime.panes.state_file import read_state_file
from clawtap_core.runtime.protocol.manager import ProtocolSessions
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.foreground import foreground_group

log = logging.getLogger(__name__)
_STILL_STARTING = "its CLI has not said yet whether it has its conversation"


@dataclass(frozen=True)
class LostSessions:
    """The lost sessions of panes and protocols."""

    store: StateStore
    host: Host
    panes: PaneSessions
    protocols: ProtocolSessions
    conversations: Conversations
    timings: Timings
    _restoring: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, session_ids: Sequence[str] = ()) -> list[Restoration]:
        """Return which sessions can be restored, and why others cannot; start nothing."""
        return [self._plan_one(session) for session in self._selected(session_ids)]

    def restore(self, session_ids: Sequence[str] = ()) -> list[Restoration]:
        """Restore the lost sessions, or some of them, one after another."""
        with self._restoring:
            lost = self._selected(session_ids)
            in_panes = [
                session
                for session in lost
                if session.channel == TERMINAL and session.state is SessionState.LOST
            ]
            self.panes.wait_until_ended(in_panes, self.timings.cli_exits)
            # All of them first: they may share a server that ends with the last of them.
            for session in in_panes:
                if self._obstacle(session) is None:
                    self.panes.end_orphan(session, self.timings.cli_exits)
            started = [self._restore_one(session) for session in lost]
            deadline = time.monotonic() + self.timings.protocol_restores
            return [self._confirm(each, deadline) for each in started]

    def _selected(self, session_ids: Sequence[str]) -> list[Session]:
        if session_ids:
            return [self.store.session(name) for name in dict.fromkeys(session_ids)]
        return [each for each in self.store.sessions() if each.state is SessionState.LOST]

    def _plan_one(self, session: Session) -> Restoration:
        if reason := self._obstacle(session):
            return Restoration(session, RestoreOutcome.IMPOSSIBLE, reason)
        return Restoration(session, RestoreOutcome.POSSIBLE)

    def _restore_one(self, session: Session) -> Restoration:
        planned = self._plan_one(session)
        if planned.reason:
            return planned
        try:
            if session.channel == PROTOCOL:
                self.protocols.resume(session.id)
            else:
                self.panes.resume(session, self.host.adapter(session.adapter))
        except ClawTapError as error:
            log.warning("not restored: %s", error.message, extra={"session": session.id})
            session = self.store.session(session.id)
            return Restoration(session, RestoreOutcome.IMPOSSIBLE, error.message)
        return Restoration(self.store.session(session.id), RestoreOutcome.RESTORED)

    def _confirm(self, started: Restoration, deadline: float) -> Restoration:
        """Wait until the CLI of a protocol session says whether it has its conversation."""
        if started.outcome is not RestoreOutcome.RESTORED:
            return started
        # A CLI that ended at once runs no more.
        running = self.protocols.running.get(started.session.id)
        opened = running and running.wait_until_open(max(deadline - time.monotonic(), 0.0))
        session = self.store.session(started.session.id)
        if session.state.over:
            return Restoration(session, RestoreOutcome.IMPOSSIBLE, session.detail)
        if running is None:
            return started
        if why := running.lost_conversation:
            return Restoration(session, RestoreOutcome.WITHOUT_CONVERSATION, why)
        if not opened:
            return Restoration(session, RestoreOutcome.STARTING, _STILL_STARTING)
        return Restoration(session, RestoreOutcome.RESTORED)

    def _obstacle(self, session: Session) -> str | None:
        """Return why a session cannot be restored, or None."""
        if session.state is not SessionState.LOST:
            return f"it was not lost: it is {session.state.value}"
        try:
            adapter = self.host.adapter(session.adapter)
            if session.channel == PROTOCOL:
                conversation = self.protocols.resumed_conversation(session)
                if conversation is None:
                    return None  # It starts with a new one.
            else:
                conversation = self.panes.resumed_conversation(session, adapter)
                if conversation is None:
                    return "its CLI did not report the id of its conversation"
            return self._continued(session) or self._still_runs(session, adapter, conversation)
        except ClawTapError as error:
            return error.message

    def _continued(self, session: Session) -> str | None:
        """Return where the conversation runs, or went on since."""
        for other in self.store.sessions():
            same = (other.adapter, other.cli_session_id) == (
                session.adapter,
                session.cli_session_id,
            )
            if same and other.id != session.id:
                if not other.state.over:
                    return f"its conversation runs in session {other.id}"
                if other.created_at > session.created_at:
                    return f"its conversation went on in session {other.id}"
        return None

    def _still_runs(self, session: Session, adapter: Adapter, conversation: str) -> str | None:
        """Return which process has the conversation, or that no file does."""
        if session.channel == TERMINAL and (what := self.panes.outlived(session)):
            return f"{what} is still running"
        for pane in self.panes.terminal.panes():
            if pane.dead:
                continue
            named = any(conversation in word for word in pane.argv)
            if not named and self.panes.knows(pane) is adapter and adapter.has("state_file"):
                group = foreground_group(pane.pid) or pane.pid
                report = read_state_file(adapter, self.panes.env, group)
                named = report is not None and report.cli_session_id == conversation
            if named or pane.owner == session.id:
                return f"its conversation runs in pane {pane.id}"
        if session.channel == TERMINAL and not self._is_stored(session, adapter, conversation):
            return "its CLI has stored no conversation: nothing was said in it"
        return None

    def _is_stored(self, session: Session, adapter: Adapter, conversation: str) -> bool:
        if not adapter.has("transcript_sources"):
            return True
        library = self.conversations.library(adapter)
        path = self.store.marker(session.id, "transcript")
        found = library.at(Path(path)) if path else None
        if found and found.info.cli_session_id == conversation:
            return True
        return matching.by_id(conversation, library.find()) is not None
