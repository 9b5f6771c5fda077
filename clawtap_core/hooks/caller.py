"""Which process ran a hook: the CLI, above the shells that stand between."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePath

_PROC = Path("/proc")
_SHELLS = ("ash", "bash", "csh", "dash", "env", "fish", "ksh", "sh", "tcsh", "timeout", "zsh")
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Caller:
    """A process. `started` tells it from a later one with the same number."""

    pid: int
    started: str

    @property
    def note(self) -> str:
        """The words to keep it by."""
        return f"{self.pid} {self.started}"

    @classmethod
    def noted(cls, note: str) -> Caller | None:
        """The process that was kept by these words."""
        pid, _, started = note.partition(" ")
        return cls(int(pid), started) if pid.isdigit() else None

    def lives(self) -> bool:
        """Whether it still runs."""
        found = _look(self.pid)
        return found is not None and found.started == self.started and found.state != "Z"


@dataclass(frozen=True, slots=True)
class _Process:
    state: str
    parent: int
    started: str
    name: str


def caller(pid: int) -> Caller | None:
    """The CLI above a process that a hook of it started; None where none is found."""
    for _ in range(_DEEPEST):
        found = _look(pid) if pid > 1 else None
        if found is None:
            return None
        if found.name.removeprefix("-") not in _SHELLS:
            return Caller(pid, found.started)
        pid = found.parent
    return None


def _look(pid: int) -> _Process | None:
    try:
        return _from_proc(pid) if (_PROC / "self" / "stat").exists() else _from_ps(pid)
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None


def _from_proc(pid: int) -> _Process:
    # The name stands in parentheses and may hold anything, these too.
    before, _, after = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")
    fields = after.split()
    return _Process(fields[0], int(fields[1]), fields[19], before.partition("(")[2])


def _from_ps(pid: int) -> _Process:
    told = subprocess.run(
        ["ps", "-o", "stat=,ppid=,lstart=,comm=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=True,
        timeout=5,
    ).stdout
    state, parent, *started, name = told.strip().split(None, 7)
    return _Process(state[0], int(parent), " ".join(started), PurePath(name).name)
