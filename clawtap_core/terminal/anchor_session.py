"""A tmux session of ours that lasts as long as this process, also after kill -9.

Its pane waits for the end of a pipe that only we hold open. The option `destroy-unattached`
would do without: but tmux 3.3 crashes when a session is destroyed by it while a control client of
the session is about to leave.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path

NAME = "clawtap-keeper-"
# Opened for both first: to open it for reading only would wait for us, who may be gone already.
# Each line that comes over the pipe is the list of our clients.
_WAIT = """
exec 3<>"$1/alive" <"$1/alive" 3>&-
rm -rf "$1"
while read -r line; do clients=$line; done
test -z "$clients" || exec kill -9 $clients
"""


class AnchorSession:
    """The lifeline of one keeper session, and the command that makes it."""

    def __init__(self) -> None:
        self.name = f"{NAME}{os.getpid()}-{secrets.token_hex(3)}"
        self._folder = Path(tempfile.mkdtemp(prefix="clawtap-"))
        pipe = self._folder / "alive"
        os.mkfifo(pipe, 0o600)
        # Opened for reading too, so that nobody needs to wait for the other end.
        self._held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

    def command(self) -> list[str]:
        """The arguments of the client that makes the session and attaches to it."""
        empty = [shutil.which("env") or "/usr/bin/env", "-i", f"PATH={os.defpath}"]
        program = [*empty, "sh", "-c", _WAIT, "sh", str(self._folder)]
        return [
            *("new-session", "-E", "-f", "no-output,ignore-size", "-s", self.name),
            *("-c", "/", "-x", "80", "-y", "24", "--", *program),
            *(";", "set-option", "detach-on-destroy", "on"),
            *(";", "set-option", "destroy-unattached", "off"),
            *(";", "set-option", "-w", "remain-on-exit", "off"),
        ]

    def tell(self, clients: Iterable[int]) -> None:
        """Which client processes are to end with us."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._held, f"{' '.join(map(str, clients))}\n".encode())

    def close(self) -> None:
        """Let the session end."""
        os.close(self._held)
        shutil.rmtree(self._folder, ignore_errors=True)


class ClientRegistry:
    """The client processes that run for us, as the keeper knows them.

    When we are killed, tmux closes clients whose output is not empty never: the keeper ends them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: set[int] = set()
        self._keeper: AnchorSession | None = None

    def add(self, client: int) -> None:
        """A client process began."""
        with self._lock:
            self._clients.add(client)
            self._tell()

    def remove(self, client: int) -> None:
        """A client process ended."""
        with self._lock:
            self._clients.discard(client)
            self._tell()

    def kept_by(self, keeper: AnchorSession) -> None:
        """This keeper knows them from now on."""
        with self._lock:
            self._keeper = keeper
            self._tell()

    def left_by(self, keeper: AnchorSession) -> None:
        """This keeper ends; it ends no client by it."""
        with self._lock:
            keeper.tell(())
            if self._keeper is keeper:
                self._keeper = None

    def _tell(self) -> None:
        if self._keeper:
            self._keeper.tell(self._clients)
