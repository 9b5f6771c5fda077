"""Threads, child processes and tmux servers that a test left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

SOCKET_PREFIX = f"clawtap-test-{os.getpid()}-"
_GRACE = 10.0


@dataclass(frozen=True)
class Running:
    """The running threads, children (pid and command), and tmux servers by socket."""

    threads: frozenset[threading.Thread]
    children: frozenset[tuple[int, str]]
    servers: frozenset[str]

    @classmethod
    def now(cls) -> Running:
        """Return what is running."""
        names: list[str] = []
        with contextlib.suppress(FileNotFoundError):
            names = os.listdir(tmux_folder())  # noqa: PTH208 - runs twice in each test
        ours = (name for name in names if name.startswith(SOCKET_PREFIX))
        servers = frozenset(name for name in ours if _tmux(name, "list-sessions").returncode == 0)
        return cls(frozenset(threading.enumerate()), frozenset(_children()), servers)

    def since(self, before: Running) -> list[str]:
        """Describe what was not there before."""
        return [
            *(f"thread {thread.name!r} runs on" for thread in self.threads - before.threads),
            *(f"process {pid} ({name}) runs on" for pid, name in self.children - before.children),
            *(f"tmux server {name!r} runs on" for name in self.servers - before.servers),
        ]


def left_behind(before: Running) -> list[str]:
    """Return what is still there after a grace period."""
    end = time.monotonic() + _GRACE
    while (left := Running.now().since(before)) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def tmux_folder() -> Path:
    """Return the folder with this user's tmux sockets."""
    return Path(os.environ.get("TMUX_TMPDIR", "/tmp")) / f"tmux-{os.getuid()}"  # noqa: S108


def end_server(socket: str) -> None:
    """End a tmux server with its panes, and remove its socket, given by name or path."""
    groups = _tmux(socket, "list-panes", "-a", "-F", "#{pane_pid}").stdout.split()
    if _tmux(socket, "kill-server").returncode == 0:
        (tmux_folder() / socket).unlink(missing_ok=True)
    # A program may have missed the hang-up. We wait for none: processes of a server that is gone
    # stay listed until init collects them, which takes seconds in some containers.
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(int(group), signal.SIGKILL)


def _tmux(socket: str, *command: str) -> subprocess.CompletedProcess[bytes]:
    server = ("-S" if "/" in socket else "-L", socket)
    return subprocess.run(("tmux", *server, *command), capture_output=True, timeout=10)


def _children() -> list[tuple[int, str]]:
    parent, proc = os.getpid(), Path("/proc")
    if not (proc / "self" / "stat").exists():
        return _children_by_ps(parent)
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return []  # the usual case: reading all of /proc takes 10 ms
    children = []
    for status in proc.glob("[0-9]*/stat"):
        try:
            name, rest = status.read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        state, above = rest.split()[:2]
        if int(above) == parent and state != "Z":
            children.append((int(status.parent.name), name))
    return children


def _children_by_ps(parent: int) -> list[tuple[int, str]]:
    command = ("ps", "-A", "-o", "pid=,ppid=,comm=")
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    split = [row.split(None, 2) for row in rows]
    return [(int(pid), name) for pid, above, name in split if int(above) == parent and name != "ps"]
