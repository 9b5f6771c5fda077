"""The tmux program: its server, and the environment of its clients."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clawtap_core.terminal import errors
from clawtap_core.terminal.anchor_session import ClientRegistry

_NEEDED = ("HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMUX_TMPDIR", "TMPDIR", "USER")
_OF_OUR_TERMINAL = ("TMUX", "TMUX_PANE", "COLUMNS", "LINES")


def client_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return only the variables that a control client needs."""
    # tmux gets a client's environment variable by variable, and 3.3 crashes when a session comes
    # or goes before it has read them all: a small one keeps that moment short.
    return {
        name: value
        for name, value in environment.items()
        if name in _NEEDED or name.startswith("LC_")
    }


def server_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a new tmux server inherits: all but our settings, tokens and size."""
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith(("CLAWTAP_", "CODETAP_")) and name not in _OF_OUR_TERMINAL
    }


def default_socket(environment: Mapping[str, str]) -> str | None:
    """Return the server that `tmux` would reach here: inside tmux, that one."""
    return environment.get("TMUX", "").split(",")[0] or None


@dataclass(frozen=True)
class Tmux:
    """One tmux server, by the name or path of its socket.

    `attach_lock` is held while a client attaches and while a session is created or ended: tmux 3.3
    crashes when the two coincide.
    """

    socket: str | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    attach_lock: threading.RLock = field(default_factory=threading.RLock, compare=False)
    registry: ClientRegistry = field(default_factory=ClientRegistry, compare=False)

    @property
    def where(self) -> str | None:
        """The socket's name or path, None for tmux's own default."""
        return self.socket or default_socket(self.environment)

    @property
    def command(self) -> list[str]:
        """The program with the flags that reach this server; titles and screens are UTF-8."""
        if not (where := self.where):
            return ["tmux", "-u"]
        return ["tmux", "-u", "-S" if "/" in where else "-L", where]

    def client(self, arguments: Sequence[str], *, start: bool = False) -> subprocess.Popen[bytes]:
        """Start a control-mode client; with `start` it may start the server."""
        # A client that starts the server passes its whole environment on.
        environment = (server_environment if start else client_environment)(self.environment)
        try:
            process = subprocess.Popen(
                [*self.command, *([] if start else ["-N"]), "-C", *arguments],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                # Ctrl+C in the terminal of `clawtap serve` must not reach it.
                start_new_session=True,
            )
        except OSError as error:
            raise errors.not_started(error) from error
        self.registry.add(process.pid)
        return process
