"""The foreground process group of a pane's terminal, and what it has not read yet."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import signal
import termios
import time
from pathlib import Path
from typing import TypedDict

from clawtap_core.system.processes import command_line, lives, process, run_by


def foreground_group(pid: int) -> int | None:
    """Return the foreground process group of this process's terminal, or None."""
    info = process(pid)
    return info.foreground if info and info.foreground > 0 else None


def foreground_argv(pid: int) -> tuple[str, ...]:
    """Return the foreground command line, if it can be read."""
    group = foreground_group(pid)
    return command_line(group) if group else ()


def wrapped_argvs(pid: int) -> list[tuple[str, ...]]:
    """Return the command lines of what the foreground program runs, as `npx` runs a CLI."""
    group = foreground_group(pid)
    return [command_line(each) for each in run_by(group)] if group else []


def unread_bytes(tty: str) -> int:
    """Return how many typed bytes the program in this terminal has not read; 0 if unknown."""
    with contextlib.suppress(OSError):
        file = os.open(tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            count = array.array("i", [0])
            fcntl.ioctl(file, termios.FIONREAD, count)
            return count[0]
        finally:
            os.close(file)
    return 0


def has_input(pid: int, tty: str) -> bool:
    """Return whether this terminal is the input of a process; False without /proc."""
    try:
        return str(Path(f"/proc/{pid}/fd/0").readlink()) == tty
    except OSError:
        return False


def takes_keys(tty: str) -> bool:
    """Return True if the program in this terminal receives each key, not whole lines."""
    flags = _local_flags(tty)
    return flags is not None and not flags & termios.ICANON


class InputFacts(TypedDict, total=False):
    """How a terminal takes what is typed; only what is unusual is there."""

    takes_keys: bool
    hides_input: bool


def input_facts(tty: str) -> InputFacts:
    """Return how this terminal takes what is typed.

    It may give each key to its program, or take whole lines and not show them, such as passwords.
    """
    flags = _local_flags(tty)
    if flags is None:
        return {}
    if not flags & termios.ICANON:
        return {"takes_keys": True}
    return {} if flags & termios.ECHO else {"hides_input": True}


def _local_flags(tty: str) -> int | None:
    with contextlib.suppress(OSError, termios.error):
        file = os.open(tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return int(termios.tcgetattr(file)[3])
        finally:
            os.close(file)
    return None


def resume_group(group: int) -> None:
    """Continue a group that is stopped, or that waits for the signal to continue."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGCONT)


def group_lives(group: int) -> bool:
    """Return True if a process of this group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end_group(group: int, patience: float = 1.0) -> None:
    """Kill this group unless it ends by itself; its terminal hung up already."""
    deadline = time.monotonic() + patience
    while lives(group) or group_lives(group):
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
            return
        time.sleep(0.01)


def uncollected(pid: int) -> bool:
    """Return True if this process ended, and its parent has not asked for its status."""
    found = process(pid)
    return found is not None and found.state == "Z"


def group_ended(group: int, pane_pid: int) -> bool:
    """Return True if the program that ran as this group is over."""
    # A process that has just been forked does not lead its group yet.
    if lives(group):
        return False
    # A CLI may leave helpers in its group: it is over once its first process is gone and
    # something else is in the foreground.
    return not group_lives(group) or foreground_group(pane_pid) != group
