"""Find the CLI that ran a hook, above any shells in between."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.system.processes import process

_SHELLS = ("ash", "bash", "csh", "dash", "env", "fish", "ksh", "sh", "tcsh", "timeout", "zsh")
# A CLI runs its hooks by a shell or two.
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Caller:
    """A process; `started` distinguishes it from a later one with the same id."""

    pid: int
    started: str

    @property
    def note(self) -> str:
        """Return it as the text that is stored."""
        return f"{self.pid} {self.started}"

    @classmethod
    def noted(cls, note: str) -> Caller | None:
        """Return the process from its stored text."""
        pid, _, started = note.partition(" ")
        return cls(int(pid), started) if pid.isdigit() else None

    def lives(self) -> bool:
        """Return whether it still runs."""
        running = process(self.pid)
        return running is not None and running.started == self.started and running.state != "Z"


def caller(pid: int) -> Caller | None:
    """Return the nearest ancestor of a hook's process that is no shell, or None."""
    for _ in range(_DEEPEST):
        current = process(pid) if pid > 1 else None
        if current is None:
            return None
        if current.name.removeprefix("-") not in _SHELLS:
            return Caller(pid, current.started)
        pid = current.parent
    return None
