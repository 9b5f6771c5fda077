"""Threads, child processes and tmux servers that a test left behind."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
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
        return cls(frozenset(threading.enumerate()), frozenset(_children()), frozenset(_servers()))

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


def end_server(server: str) -> None:
    """End a tmux server with its panes, and remove its socket, given by name or path."""
    path = tmux_folder() / server
    if not _listens(path):
        path.unlink(missing_ok=True)  # tmux leaves its socket behind
        return
    groups = _tmux(server, "list-panes", "-a", "-F", "#{pane_pid}").stdout.split()
    if _tmux(server, "kill-server").returncode == 0:
        path.unlink(missing_ok=True)
    # A program may have missed the hang-up. We wait for none: processes of a server that is gone
    # stay listed until init collects them, which takes seconds in some containers.
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(int(group), signal.SIGKILL)


def _tmux(server: str, *command: str) -> subprocess.CompletedProcess[bytes]:
    address = ("-S" if "/" in server else "-L", server)
    return subprocess.run(("tmux", *address, *command), capture_output=True, timeout=10)


def _servers() -> list[str]:
    """Return the sockets of our running tmux servers."""
    folder = tmux_folder()
    try:
        names = _our_sockets(folder, folder.stat().st_mtime_ns)
    except FileNotFoundError:
        return []
    return [name for name in names if _listens(folder / name)]


@functools.lru_cache(maxsize=1)
def _our_sockets(folder: Path, _changed: int) -> list[str]:
    # Every test asks twice, and the folder may hold thousands that other runs left.
    return [path.name for path in folder.iterdir() if path.name.startswith(SOCKET_PREFIX)]


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except BlockingIOError:
            return True  # it is there, and accepts nobody
        except OSError:
            return False
    return True


def _children() -> list[tuple[int, str]]:
    tasks = Path("/proc/self/task")
    if not (tasks / str(os.getpid()) / "children").exists():
        return _children_by_ps(os.getpid())
    pids: list[str] = []
    for task in os.listdir(tasks):  # noqa: PTH208
        with contextlib.suppress(OSError):
            pids += (tasks / task / "children").read_text().split()
    return [(int(pid), name) for pid in pids if (name := _name_of_running(pid))]


def _name_of_running(pid: str) -> str:
    """Return the name of a process, or nothing if it has ended."""
    try:
        name, rest = Path(f"/proc/{pid}/stat").read_text().split("(", 1)[1].rsplit(")", 1)
    except OSError:
        return ""
    return "" if rest.split()[0] == "Z" else name


def _children_by_ps(parent: int) -> list[tuple[int, str]]:
    command = ("ps", "-A", "-o", "pid=,ppid=,comm=")
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    split = [row.split(None, 2) for row in rows]
    return [(int(pid), name) for pid, above, name in split if int(above) == parent and name != "ps"]
