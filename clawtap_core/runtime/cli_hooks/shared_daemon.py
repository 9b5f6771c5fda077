"""Shared servers of CLIs in panes, which can answer the prompt on a screen without keys.

One is joined while a prompt is open. What it reports is merged with what the screen shows.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clawtap_core.errors import ClawTapError, NotConfirmed
from clawtap_core.host import Adapter
from clawtap_core.model import (
    Daemon,
    Event,
    HttpServer,
    PeerEvent,
    PromptForm,
    PromptRequested,
    RequestCancelled,
    Response,
    Session,
    SessionState,
)
from clawtap_core.protocol import Link
from clawtap_core.runtime.channel import TERMINAL
from clawtap_core.runtime.panes.pending_hook import PendingHook
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.panes.tool_calls import Call
from clawtap_core.system.listeners import listening_ports
from clawtap_core.system.processes import command_line, environment

if TYPE_CHECKING:
    from clawtap_core.protocol.http_wire import HttpWire
    from clawtap_core.protocol.unix_socket import SocketWire

log = logging.getLogger(__name__)
_APPEARED = ("approval_required", "question_prompt")
_OVER = (SessionState.ENDED, SessionState.LOST)


class Line(PendingHook):
    """A request of a daemon, which takes the answer itself."""

    via = "daemon"
    sure = True

    def __init__(self, link: Link, call: str, form: PromptForm) -> None:
        super().__init__(lambda: False)
        self._link = link
        self._call = call
        self._form = form
        self.takes_reason = form.takes_reason

    def carries(self, adapter: Adapter, form: PromptForm, response: Response) -> Any:
        """Return the response as it is, or None if it is for a part of the request."""
        # Before the request is known, a screen may show the first of several questions.
        return response if len(form.questions) == len(self._form.questions) else None

    def give(self, answer: Any) -> bool:
        """Answer; return False if nothing was decided, so that keys can."""
        if not self.waits:
            return False
        try:
            self._link.answer(self._call, answer)
            self.confirmed = True
        except NotConfirmed:
            log.info("a daemon did not say whether it took an answer")
        except ClawTapError as error:
            log.info("not answered by a daemon: %s", error.message)
            self.release()
            return False
        self.release()
        return True


class Joined:
    """A connection for one session. `stays`: not only while a prompt is open."""

    def __init__(self, session: PaneSession, daemon: Daemon) -> None:
        self._session = session
        self._calls: dict[str, Call] = {}
        self._reported = threading.Event()
        # A CLI may keep something for each client that ever read its events, as OpenCode does.
        self.stays = isinstance(daemon.server, HttpServer)
        self.over = False
        self._wire = _connect(daemon.server)
        self._link = Link(daemon.peer, self._wire, self._on_event)
        self._wire.start(self._received)
        self._link.open()

    def await_request(self) -> None:
        """Wait until the server has reported the prompt on the screen, or is late."""
        self._reported.clear()
        if not self._session.awaited_call():
            self._reported.wait(self._session.timings.daemon_reports)

    def leave(self) -> None:
        """Close the connection, and release what it asked."""
        self._wire.close()
        for call in list(self._calls.values()):
            self._session.calls.finish(call.form)
        self._calls.clear()

    def _received(self, data: bytes) -> None:
        self._link.received(data)
        self.over = self.over or not data

    def _on_event(self, item: PeerEvent) -> None:
        if isinstance(item, PromptRequested):
            line = Line(self._link, item.call, item.form)
            self._calls[item.call] = self._session.calls.learn(item.form, line)
            self._session.refresh()
            log.debug("a shared server asks about call %s", item.form.tool_call_id)
            self._reported.set()
        elif isinstance(item, RequestCancelled) and (call := self._calls.pop(item.call, None)):
            self._session.calls.withdraw(call)


def _connect(server: str | HttpServer) -> HttpWire | SocketWire:
    # Imported late: few sessions have a shared server, and nothing else speaks WebSocket.
    if isinstance(server, HttpServer):
        from clawtap_core.protocol.http_wire import HttpWire

        return HttpWire(server)
    from clawtap_core.protocol.unix_socket import SocketWire

    return SocketWire(server)


def _find(server: str | HttpServer, group: int) -> str | HttpServer | None:
    """Return the server with its port, or None if it is not there."""
    if isinstance(server, str):
        return server if Path(server).exists() else None
    # Another program may have taken the port that the CLI was given.
    ports = listening_ports(group)
    port = server.port or (next(iter(ports)) if len(ports) == 1 else None)
    return replace(server, port=port) if port in ports else None


class SharedDaemons:
    """The joined servers; `env` is what CLIs inherit."""

    def __init__(
        self, env: Mapping[str, str], running: Callable[[str], PaneSession | None]
    ) -> None:
        self._env = env
        self._running = running
        self._joined: dict[str, Joined] = {}
        self._open: dict[str, str] = {}  # the prompt reported last, by session
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def on_event(self, event: Event, session: Session) -> None:
        """Join or leave when a prompt opens or ends, without waiting for the server."""
        if event.type in _APPEARED and session.channel == TERMINAL:
            self._open[session.id] = event.data["requestId"]
            running = self._running(session.id)
            if running and running.adapter.has("open_daemon"):
                running.calls.expect_request()
            threading.Thread(target=self._join, args=(session,), daemon=True).start()
        elif event.type == "prompt_resolved":
            if self._open.get(session.id) == event.data["requestId"]:
                del self._open[session.id]
            joined = self._joined.get(session.id)
            if joined and not joined.stays:
                threading.Thread(target=self._leave, args=(session.id,), daemon=True).start()
        elif session.state in _OVER and session.id in self._joined:
            self._open.pop(session.id, None)
            threading.Thread(target=self._leave, args=(session.id,), daemon=True).start()

    def close(self) -> None:
        """Leave all servers."""
        self._open.clear()
        for session_id in list(self._joined):
            self._leave(session_id)

    def _join(self, session: Session) -> None:
        running = self._running(session.id)
        if running is None or not running.adapter.has("open_daemon"):
            return
        try:
            if joined := self._joined_by(running, session):
                joined.await_request()
        finally:
            running.calls.settle()

    def _joined_by(self, running: PaneSession, session: Session) -> Joined | None:
        """Return the connection of this session, which may have to be made."""
        if (joined := self._joined.get(running.id)) and not joined.over:
            return joined
        group = running.pane.group
        env = environment(group) or self._env
        conversation, argv = session.cli_session_id, command_line(group)
        daemon = running.adapter.open_daemon(env, session.cwd, conversation, argv)
        server = _find(daemon.server, group) if daemon else None
        return self._connect(running, replace(daemon, server=server)) if daemon and server else None

    def _connect(self, running: PaneSession, daemon: Daemon) -> Joined | None:
        with self._locks[running.id]:
            # The prompt may be over by now, or another one may have joined.
            joined = self._joined.get(running.id)
            if running.id not in self._open or (joined and not joined.over):
                return joined
            try:
                joined = self._joined[running.id] = Joined(running, daemon)
            except ClawTapError as error:
                log.info("no daemon: %s", error.message, extra={"session": running.id})
                return None
            return joined

    def _leave(self, session_id: str) -> None:
        with self._locks[session_id]:
            # The next prompt may be on the screen already.
            joined = None if session_id in self._open else self._joined.pop(session_id, None)
        if joined:
            joined.leave()
