"""Which process ran a hook: the CLI, above the shells that stand between."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.system.processes import process

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
        found = process(self.pid)
        return found is not None and found.started == self.started and found.state != "Z"


def caller(pid: int) -> Caller | None:
    """The CLI above a process that a hook of it started; None where none is found."""
    for _ in range(_DEEPEST):
        found = process(pid) if pid > 1 else None
        if found is None:
            return None
        if found.name.removeprefix("-") not in _SHELLS:
            return Caller(pid, found.started)
        pid = found.parent
    return None
