"""Information about processes, from /proc or else from `ps`."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

_PROC = Path("/proc")
_LONGEST = 1 << 16  # of the files of /proc that are read in one piece
_COLUMNS = "stat=,ppid=,tpgid=,lstart=,comm="
# Where a process's flags and pending signals are among the fields of its stat, and their bits.
_FLAGS, _EXITING, _PENDING, _KILLED = 6, 0x4, 28, 1 << 8
_STARTED = 19
_FORKED = 0x40


@dataclass(frozen=True, slots=True)
class Process:
    """A process; `started` tells it from a later one with the same number.

    `foreground` is the foreground process group of its terminal, not positive without one.
    """

    pid: int
    name: str
    state: str
    parent: int
    foreground: int
    started: str


@dataclass(frozen=True, slots=True)
class KnownProcess:
    """A process to be recognised later; `started` tells it from a later one with the same id."""

    pid: int
    started: str

    @property
    def note(self) -> str:
        """Return it as the text that is stored."""
        return f"{self.pid} {self.started}"

    @classmethod
    def noted(cls, note: str) -> KnownProcess | None:
        """Return the process from its stored text."""
        pid, _, started = note.partition(" ")
        return cls(int(pid), started) if pid.isdigit() else None

    @classmethod
    def running(cls, pid: int) -> KnownProcess | None:
        """Return the process that has this id now, or None."""
        found = process(pid)
        return cls(pid, found.started) if found else None

    def lives(self) -> bool:
        """Return whether it still runs."""
        found = process(self.pid)
        # A zombie has ended, though its parent has not noticed.
        return found is not None and found.started == self.started and found.state != "Z"


def process(pid: int) -> Process | None:
    """Return the process with this number, or None."""
    try:
        return _from_proc(pid) if has_proc() else _from_ps(pid)
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None


def lives(pid: int) -> bool:
    """Return whether a process with this id runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0


def is_ending(pid: int) -> bool:
    """Return whether a process is on its way out, and reads nothing more; False without /proc.

    A large one stays for a while: the kernel has its memory to give back.
    """
    fields = _stat_fields(pid)
    if len(fields) <= _PENDING:
        return False
    killed = int(fields[_PENDING]) & _KILLED
    return fields[0] in "ZX" or bool(int(fields[_FLAGS]) & _EXITING or killed)


def age(pid: int) -> float:
    """Return for how many seconds a process has run; 0 without /proc, or if it is gone."""
    fields = _stat_fields(pid)
    if len(fields) <= _STARTED:
        return 0.0
    since_boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    return since_boot - int(fields[_STARTED]) / os.sysconf("SC_CLK_TCK")


def has_executed(pid: int) -> bool:
    """Return whether a process runs a program of its own; True without /proc.

    One that was just forked has its parent's program and files, until it has set up its own.
    """
    fields = _stat_fields(pid)
    return len(fields) <= _FLAGS or not int(fields[_FLAGS]) & _FORKED


def group_members(group: int) -> list[int]:
    """Return the processes of this group; none without /proc."""
    return [pid for pid, _ in _group_states(group)]


def run_by(leader: int) -> list[int]:
    """Return what a group's first process runs: its only child, that one's, and so on.

    `npx` and scripts are in front of what they start; none without /proc.
    """
    chain = [leader]
    while len(only := children_in_group(chain[-1], leader)) == 1:
        chain += only
    return chain[1:]


def children_in_group(parent: int, group: int) -> list[int]:
    """Return the children of a process in its group that have not ended."""
    tasks = f"{_PROC}/{parent}/task"
    lists = [f"{tasks}/{task}/children" for task in _numbers(tasks)]
    if lists and Path(lists[0]).exists():
        # Hundreds of other processes need not be read.
        pids = [pid for each in lists for pid in _read(each).split()]
    else:
        pids = _numbers(str(_PROC))
    states = ((int(pid), *_state(pid)) for pid in pids)
    return [pid for pid, *state in states if state[1:] == [parent, group] and state[0] != "Z"]


def group_at_work(group: int) -> bool:
    """Return whether a process of this group runs or waits for a core; False without /proc."""
    # A process in state D waits for the disk: it is as busy as one that runs.
    return any(state in ("R", "D") for _, state in _group_states(group))


def _group_states(group: int) -> Iterator[tuple[int, str]]:
    for pid in _numbers(str(_PROC)):
        state, _, its_group = _state(pid)
        if its_group == group:
            yield int(pid), state


def _state(pid: str) -> tuple[str, int, int]:
    """Return a process's state, its parent and its group; "" and zeros if it is gone."""
    fields = _stat_fields(pid)
    return (fields[0], int(fields[1]), int(fields[2])) if len(fields) > 2 else ("", 0, 0)


def _stat_fields(pid: int | str) -> list[str]:
    """Return what follows a process's name, which may hold blanks and parentheses itself."""
    return _read(f"{_PROC}/{pid}/stat").rpartition(")")[2].split()


# Panes are looked at often, and pathlib takes most of the time for hundreds of files.
def _numbers(folder: str) -> list[str]:
    """Return the numbered entries of a folder of /proc; none if it is not there."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.name.isdigit()]
    except OSError:
        return []


def _read(path: str) -> str:
    """Return the text of a file of a process, or "" if that is gone."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(file, _LONGEST).decode(errors="replace")
    except OSError:
        return ""
    finally:
        os.close(file)


def command_line(pid: int) -> tuple[str, ...]:
    """Return a process's arguments, or () if they cannot be read."""
    try:
        if has_proc():
            data = (_PROC / str(pid) / "cmdline").read_bytes()
            return tuple(data.decode(errors="replace").split("\0")[:-1])
        return tuple(_ask_ps("args=", pid).split())
    except (OSError, subprocess.SubprocessError):
        return ()


def environment(pid: int) -> dict[str, str] | None:
    """Return the environment that a process was started with, or None if it cannot be read."""
    try:
        data = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return None
    pairs = (entry.partition("=") for entry in data.decode(errors="replace").split("\0"))
    return {name: value for name, _, value in pairs if name}


def program_output(*argv: str, seconds: float, env: Mapping[str, str] | None = None) -> str | None:
    """Return what a program prints, or None if it cannot be run or takes too long."""
    try:
        result = subprocess.run(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout


def _from_proc(pid: int) -> Process:
    # The name is in parentheses and may itself hold parentheses.
    before, _, after = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")
    fields = after.split()
    name = before.partition("(")[2]
    return Process(pid, name, fields[0], int(fields[1]), int(fields[5]), fields[19])


def _from_ps(pid: int) -> Process:
    state, parent, foreground, *started, name = _ask_ps(_COLUMNS, pid).strip().split(None, 8)
    command = PurePath(name).name
    return Process(pid, command, state[0], int(parent), int(foreground), " ".join(started))


def has_proc() -> bool:
    """Return whether this system has /proc."""
    return (_PROC / "self" / "stat").exists()


def _ask_ps(columns: str, pid: int) -> str:
    return subprocess.run(
        ["ps", "-o", columns, "-p", str(pid)],
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
        timeout=5,
    ).stdout
