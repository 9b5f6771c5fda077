"""Find the CLI that ran a hook, above any shells in between."""

from __future__ import annotations

from clawtap_core.system.processes import KnownProcess, process

_SHELLS = ("ash", "bash", "csh", "dash", "env", "fish", "ksh", "sh", "tcsh", "timeout", "zsh")
# A CLI runs its hooks by a shell or two.
_DEEPEST = 10


def caller(pid: int) -> KnownProcess | None:
    """Return the nearest ancestor of a hook's process that is not a shell, or None."""
    for _ in range(_DEEPEST):
        current = process(pid) if pid > 1 else None
        if current is None:
            return None
        if current.name.removeprefix("-") not in _SHELLS:
            return KnownProcess(pid, current.started)
        pid = current.parent
    return None
