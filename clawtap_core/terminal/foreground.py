"""Which process group is in front on a pane's terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

_PROC = Path("/proc")


def foreground_group(pid: int) -> int | None:
    """The foreground process group of this process's terminal; None when it has none."""
    try:
        group = _from_proc(pid) if _has_proc() else int(_ask_ps("tpgid", pid))
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None
    return group if group > 0 else None


def foreground_argv(pid: int) -> tuple[str, ...]:
    """The command line of what is in front on this process's terminal, where it can be read."""
    if not (group := foreground_group(pid)):
        return ()
    try:
        if _has_proc():
            data = (_PROC / str(group) / "cmdline").read_bytes()
            return tuple(data.decode(errors="replace").split("\0")[:-1])
        return tuple(_ask_ps("args", group).split())
    except (OSError, subprocess.SubprocessError):
        return ()


def group_lives(group: int) -> bool:
    """Whether a process of this group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end_group(group: int, patience: float = 1.0) -> None:
    """See to it that what ran as this group ends; its terminal hung up already."""
    deadline = time.monotonic() + patience
    while group_lives(group):
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
            return
        time.sleep(0.01)


def group_ended(group: int, pane_pid: int) -> bool:
    """Whether what ran as this group is over.

    A CLI may leave helpers in its group: it is over too when its first process is gone and
    something else is in front.
    """
    if not group_lives(group):
        return True
    return not _process_lives(group) and foreground_group(pane_pid) != group


def _process_lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _from_proc(pid: int) -> int:
    # The program's name stands in parentheses and may hold anything, these too.
    fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    return int(fields[5])


def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _ask_ps(column: str, pid: int) -> str:
    return subprocess.run(
        ["ps", "-o", f"{column}=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=True,
        timeout=5,
    ).stdout
