"""The connection for all commands: a control client in an anchor session of ours.

It takes no pane's output (`no-output`), so that tmux never waits for a slow watcher.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable
from clawtap_core.terminal import errors
from clawtap_core.terminal.anchor_session import AnchorSession
from clawtap_core.terminal.control_client import ControlClient, Reply
from clawtap_core.terminal.control_parser import Notice
from clawtap_core.terminal.program import Tmux
from clawtap_core.terminal.quoting import Command, Line
from clawtap_core.terminal.version import REPORTS_OUTPUT, check_version, parse_version

# For this many seconds after a tmux server did not answer, no command waits for it.
_SILENT = 2.0


class CommandClient:
    """Run commands on the tmux server, reconnecting when the client is lost."""

    def __init__(
        self, tmux: Tmux, *, on_notice: Callable[[Notice], None], on_lost: Callable[[], None]
    ) -> None:
        self._tmux, self._on_notice, self._on_lost = tmux, on_notice, on_lost
        self._lock = threading.Lock()
        self._client: ControlClient | None = None
        self._anchor: AnchorSession | None = None
        self._closed = False
        self._silent_until = 0.0
        self._version: tuple[int, int] | None = None

    @property
    def reports_output(self) -> bool:
        """Whether clients of this tmux may listen to the output of panes."""
        return self._version is None or self._version >= REPORTS_OUTPUT

    def run(self, *commands: Command) -> tuple[tuple[bytes, ...], ...]:
        """Return what each command printed."""
        return self._connect(start=False).run(*commands)

    def run_exclusive(
        self, *commands: Command, start: bool = False
    ) -> tuple[tuple[bytes, ...], ...]:
        """Run commands that create or end a session, while no client of ours attaches.

        `start` starts a tmux server if none runs.
        """
        client = self._connect(start=start)
        with self._tmux.attach_lock:
            return client.run(*commands)

    def submit(self, line: Line, then: Callable[[Reply], None]) -> None:
        """Send commands without waiting; `then` is called in the reader thread."""
        client = self._client
        if client and client.alive:
            client.submit(line, then)
        else:
            then(Reply(error=errors.gone()))

    def ensure(self) -> None:
        """Reconnect if needed; raise Unavailable if there is no tmux server."""
        self._connect(start=False)

    def close(self) -> None:
        """Disconnect, which ends the anchor session."""
        with self._lock:
            self._closed = True
            if self._anchor:
                self._retire(self._anchor)
            if self._client:
                self._client.close()
            self._client = self._anchor = None

    def _connect(self, *, start: bool) -> ControlClient:
        with self._lock:
            if self._closed:
                raise errors.gone("this terminal is closed")
            if self._client and self._client.alive:
                return self._client
            if (left := self._silent_until - time.monotonic()) > 0:
                raise errors.silent(left)
            try:
                return self._reopen(start=start)
            except Unavailable as error:
                if error.code == ErrorCode.TMUX_TIMEOUT:
                    self._silent_until = time.monotonic() + _SILENT
                raise

    def _reopen(self, *, start: bool) -> ControlClient:
        client, anchor = self._client, self._anchor
        self._client = None
        if client:
            client.close()
        # The anchor of before stays until there is another: it ends our clients if we are killed.
        self._client, self._anchor = self._open(start=start)
        if anchor:
            self._retire(anchor)
        return self._client

    def _retire(self, anchor: AnchorSession) -> None:
        # At once and by command: left alone it would end at any time, even while we attach.
        self._tmux.registry.release_anchor(anchor)
        if self._client:
            with self._tmux.attach_lock, contextlib.suppress(ClawTapError):
                self._client.run(("kill-session", "-t", f"={anchor.name}"))
        anchor.close()

    def _open(self, *, start: bool) -> tuple[ControlClient, AnchorSession]:
        # Tried first, since a running server must not receive our whole environment.
        try:
            return self._attach(start=False)
        except Unavailable as error:
            if not start or error.code != ErrorCode.TMUX_GONE:
                raise
        return self._attach(start=True)

    def _attach(self, *, start: bool) -> tuple[ControlClient, AnchorSession]:
        try:
            anchor = AnchorSession()
        except OSError as error:
            raise errors.not_started(error) from error
        with self._tmux.attach_lock, contextlib.ExitStack() as undo:
            undo.callback(anchor.close)
            client = ControlClient(
                self._tmux,
                anchor.command(),
                start=start,
                name="tmux",
                on_notice=lambda _, notice: self._on_notice(notice),
                on_lost=lambda _: self._on_lost(),
            )
            undo.callback(client.close)
            # Only an answer after this proves that tmux has created the session.
            client.wait_ready()
            ((version,),) = client.run(("display-message", "-p", "#{version}"))
            check_version(version.decode())
            self._version = parse_version(version.decode())
            undo.pop_all()
        self._tmux.registry.set_anchor(anchor)
        return client, anchor
