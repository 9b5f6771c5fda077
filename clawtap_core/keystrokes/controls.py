"""Control a CLI: interrupt it, and cycle through its modes."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import Pause, Press, SeenState, SessionState, Steps

_PATIENCE, _MOMENT = 15, 0.1
_KEYS = 8


@dataclass(frozen=True)
class CycleProgress:
    """The modes passed so far, and looks since the last key."""

    passed: tuple[str, ...] = ()
    waited: int = 0


def interrupt(seen: SeenState | None) -> Steps | None:
    """Press Escape once if the CLI is busy; an extra one does something else."""
    if seen is None or seen.state is not SessionState.BUSY:
        return None
    return Steps((Press("Escape", deciding=True),), done=True)


def cycle(target: str, shown: str | None, key: str, progress: CycleProgress | None) -> Steps | None:
    """Press the key for the next mode; None if the target never comes."""
    progress = progress or CycleProgress()
    if shown == target:
        return Steps(done=True)
    # A mode that is not painted yet, or hidden by a note, is waited for.
    if shown is None or (progress.passed and shown == progress.passed[-1]):
        waits = CycleProgress(progress.passed, progress.waited + 1)
        return Steps((Pause(_MOMENT),), progress=waits) if progress.waited < _PATIENCE else None
    if shown in progress.passed or len(progress.passed) >= _KEYS:
        return None
    return Steps((Press(key),), progress=CycleProgress((*progress.passed, shown)))
