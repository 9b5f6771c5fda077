"""A tmux session of ours that ends with this process, even after kill -9.

Its pane waits for the end of a pipe that only we hold open. The option `destroy-unattached` would
be simpler, but tmux 3.3 crashes when it destroys a session whose control client is about to leave.
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
# Opened for both first: opening it for reading alone would wait for us, and we may be gone.
# Each line from the pipe is the list of our clients. It outlives the tmux server by ignoring the
# hang-up: we may be killed while a server ends, which then waits for our clients without end.
# `kill` is the shell's own: a small Debian has no program of this name.
_WAIT = """
trap '' HUP
exec 3<>"$1/alive" <"$1/alive" 3>&-
rm -rf "$1"
while read -r line; do clients=$line; done
test -z "$clients" || kill -9 $clients
"""


class AnchorSession:
    """The lifeline of one anchor session, and the command that creates it."""

    def __init__(self) -> None:
        self.name = f"{NAME}{os.getpid()}-{secrets.token_hex(3)}"
        self._folder = Path(tempfile.mkdtemp(prefix="clawtap-"))
        pipe = self._folder / "alive"
        os.mkfifo(pipe, 0o600)
        # Opened for reading too, so that no side waits for the other.
        self._held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

    def command(self) -> list[str]:
        """Return the arguments of the client that creates the session and attaches to it."""
        empty = [shutil.which("env") or "/usr/bin/env", "-i", f"PATH={os.defpath}"]
        program = [*empty, "sh", "-c", _WAIT, "sh", str(self._folder)]
        return [
            *("new-session", "-E", "-f", "no-output,ignore-size", "-s", self.name),
            *("-c", "/", "-x", "80", "-y", "24", "--", *program),
            *(";", "set-option", "detach-on-destroy", "on"),
            *(";", "set-option", "destroy-unattached", "off"),
            *(";", "set-option", "-w", "remain-on-exit", "off"),
        ]

    def announce(self, clients: Iterable[int]) -> None:
        """Tell the session which client processes must end with us."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._held, f"{' '.join(map(str, clients))}\n".encode())

    def close(self) -> None:
        """Let the session end."""
        os.close(self._held)
        shutil.rmtree(self._folder, ignore_errors=True)


class ClientRegistry:
    """Our client processes, as the anchor session knows them.

    If we are killed, tmux never closes clients with pending output; the anchor session kills them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: set[int] = set()
        self._anchor: AnchorSession | None = None

    def add(self, client: int) -> None:
        """Register a client process."""
        with self._lock:
            self._clients.add(client)
            self._announce()

    def remove(self, client: int) -> None:
        """Remove an ended client process."""
        with self._lock:
            self._clients.discard(client)
            self._announce()

    def set_anchor(self, anchor: AnchorSession) -> None:
        """Tell this anchor session about our clients from now on."""
        with self._lock:
            self._anchor = anchor
            self._announce()

    def release_anchor(self, anchor: AnchorSession) -> None:
        """End this anchor session without ending any client."""
        with self._lock:
            anchor.announce(())
            if self._anchor is anchor:
                self._anchor = None

    def _announce(self) -> None:
        if self._anchor:
            self._anchor.announce(self._clients)
