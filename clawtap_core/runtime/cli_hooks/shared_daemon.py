"""Shared servers of CLIs in panes, which can answer the prompt on a screen without keys.

One is joined while a prompt is open. What it reports is merged with what the screen shows.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clawtap_core.errors import ClawTapError, NotConfirmed
from clawtap_core.host import Adapter
from clawtap_core.model import (
    Daemon,
    Event,
    PeerEvent,
    PromptForm,
    PromptRequested,
    RequestCancelled,
    Response,
    Session,
)
from clawtap_core.protocol import Link, SocketWire
from clawtap_core.runtime.channel import TERMINAL
from clawtap_core.runtime.panes.pending_hook import PendingHook
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.panes.tool_calls import Call

log = logging.getLogger(__name__)
_APPEARED = ("approval_required", "question_prompt")


class Line(PendingHook):
    """A request of a daemon, which takes the answer itself."""

    via = "daemon"
    sure = True

    def __init__(self, link: Link, call: str) -> None:
        super().__init__(lambda: False)
        self._link = link
        self._call = call

    def carries(self, adapter: Adapter, form: PromptForm, response: Response) -> Any:
        """Return the response as it is."""
        return response

    def give(self, answer: Any) -> bool:
        """Answer; return False if nothing was decided, so that keys can."""
        if not self.waits:
            return False
        try:
            self._link.answer(self._call, answer)
        except NotConfirmed:
            log.info("a daemon did not say whether it took an answer")
        except ClawTapError as error:
            log.info("not answered by a daemon: %s", error.message)
            self.release()
            return False
        self.release()
        return True


class Joined:
    """A connection for one session, while its prompt is open."""

    def __init__(self, session: PaneSession, daemon: Daemon) -> None:
        self._session = session
        self._calls: dict[str, Call] = {}
        self._wire = SocketWire(daemon.socket)
        self._link = Link(daemon.peer, self._wire, self._on_event)
        self._wire.start(self._link.received)
        self._link.open()

    def leave(self) -> None:
        """Close the connection, and release what it asked."""
        self._wire.close()
        for call in list(self._calls.values()):
            self._session.calls.finish(call.form)
        self._calls.clear()

    def _on_event(self, item: PeerEvent) -> None:
        if isinstance(item, PromptRequested):
            line = Line(self._link, item.call)
            self._calls[item.call] = self._session.calls.learn(item.form, line)
            self._session.refresh()
        elif isinstance(item, RequestCancelled) and (call := self._calls.pop(item.call, None)):
            self._session.calls.forget(call)


class SharedDaemons:
    """The joined servers; `env` is what CLIs inherit."""

    def __init__(self, env: Mapping[str, str], live: Callable[[str], PaneSession | None]) -> None:
        self._env = env
        self._live = live
        self._joined: dict[str, Joined] = {}
        self._lock = threading.Lock()

    def on_event(self, event: Event, session: Session) -> None:
        """Join or leave when a prompt opens or ends, without waiting for the server."""
        appeared = event.type in _APPEARED
        if appeared and session.channel == TERMINAL:
            threading.Thread(target=self._join, args=(session,), daemon=True).start()
        elif event.type == "prompt_resolved" and session.id in self._joined:
            over = (session.id, event.data["requestId"])
            threading.Thread(target=self._leave, args=over, daemon=True).start()

    def close(self) -> None:
        """Leave all servers."""
        for session_id in list(self._joined):
            self._leave(session_id)

    def _join(self, session: Session) -> None:
        pane_session = self._live(session.id)
        if pane_session is None or not pane_session.adapter.has("open_daemon"):
            return
        daemon = pane_session.adapter.open_daemon(self._env, session.cwd, session.cli_session_id)
        if daemon is None or not Path(daemon.socket).exists():
            return
        with self._lock:
            if session.id in self._joined or pane_session.prompt is None:
                return
            try:
                self._joined[session.id] = Joined(pane_session, daemon)
            except ClawTapError as error:
                log.info("no daemon: %s", error.message, extra={"session": session.id})

    def _leave(self, session_id: str, over: str | None = None) -> None:
        """Leave a session's server, unless the prompt is over and another one is open."""
        session = self._live(session_id)
        with self._lock:
            prompt = session.prompt if session and over else None
            if prompt and prompt.request_id != over:
                return
            joined = self._joined.pop(session_id, None)
        if joined:
            joined.leave()
