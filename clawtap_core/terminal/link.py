"""The connection that carries all commands: a control client in a keeper session of ours.

It takes no pane's output (`no-output`), and so keeps tmux from waiting for a slow watcher. The
session vanishes with its client, also after kill -9.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from collections.abc import Callable, Sequence

from clawtap_core.errors import Unavailable
from clawtap_core.terminal import failures
from clawtap_core.terminal.client import ControlClient, Reply
from clawtap_core.terminal.parser import Notice
from clawtap_core.terminal.program import Tmux
from clawtap_core.terminal.quoting import Command
from clawtap_core.terminal.version import check_version

KEEPER = "clawtap-keeper-"


class CommandLink:
    """Runs commands on the tmux server, over a client that is made again when it is lost."""

    def __init__(
        self, tmux: Tmux, *, on_notice: Callable[[Notice], None], on_lost: Callable[[], None]
    ) -> None:
        self._tmux, self._on_notice, self._on_lost = tmux, on_notice, on_lost
        self._lock = threading.Lock()
        self._client: ControlClient | None = None
        self._closed = False

    def run(self, *commands: Command, start: bool = False) -> tuple[tuple[bytes, ...], ...]:
        """What each command printed; `start` starts a tmux server where none runs."""
        return self._connect(start=start).run(*commands)

    def submit(self, commands: Sequence[Command], then: Callable[[Reply], None]) -> None:
        """Send commands without waiting; `then` is called in the reader thread."""
        client = self._client
        if client and client.alive:
            client.submit(commands, then)
        else:
            then(Reply(error=failures.gone()))

    def ensure(self) -> None:
        """Make the connection again if it was lost; Unavailable when there is no tmux server."""
        self._connect(start=False)

    def close(self) -> None:
        """Let go of tmux; the keeper session ends by it."""
        with self._lock:
            self._closed = True
            if self._client:
                self._client.close()

    def _connect(self, *, start: bool) -> ControlClient:
        with self._lock:
            if self._closed:
                raise failures.gone("this terminal is closed")
            if not (self._client and self._client.alive):
                self._client = self._open(start=start)
            return self._client

    def _open(self, *, start: bool) -> ControlClient:
        # A server that runs is not handed our whole environment, so that is tried first.
        try:
            return self._attach(start=False)
        except Unavailable as error:
            if not start or error.code != "tmux_gone":
                raise
        return self._attach(start=True)

    def _attach(self, *, start: bool) -> ControlClient:
        with self._tmux.calm:
            client = ControlClient(
                [*self._tmux.command, *([] if start else ["-N"]), "-C", *_keeper_session()],
                self._tmux.environment_for(start=start),
                name="tmux",
                on_notice=lambda _, notice: self._on_notice(notice),
                on_lost=lambda _: self._on_lost(),
            )
            try:
                ((version,),) = client.run(("display-message", "-p", "#{version}"))
                check_version(version.decode())
            except Exception:
                client.close()
                raise
        return client


def _keeper_session() -> list[str]:
    name = f"{KEEPER}{os.getpid()}-{secrets.token_hex(3)}"
    waits = [shutil.which("env") or "/usr/bin/env", "-i", shutil.which("cat") or "/bin/cat"]
    flags = "no-output,ignore-size"
    return [
        *("new-session", "-E", "-f", flags, "-s", name, "-x", "80", "-y", "24", "--", *waits),
        *(";", "set-option", "destroy-unattached", "on"),
        *(";", "set-option", "status", "off"),
    ]
