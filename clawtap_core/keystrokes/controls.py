"""Steering a CLI: interrupting it, and going round its modes."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import Pause, Press, SeenState, SessionState, Steps

_PATIENCE, _MOMENT = 15, 0.1
_KEYS = 8


@dataclass(frozen=True)
class Switching:
    """The modes that were passed, and rounds waited since the last key."""

    passed: tuple[str, ...] = ()
    waited: int = 0


def interrupt(seen: SeenState | None) -> Steps | None:
    """Escape, once, and only while the CLI is busy: a spare one does something else."""
    if seen is None or seen.state is not SessionState.BUSY:
        return None
    return Steps((Press("Escape", deciding=True),), done=True)


def cycle(wanted: str, shown: str | None, key: str, done: Switching | None) -> Steps | None:
    """One key further round the modes; None when the wanted one does not come.

    Each is read back: one that is not painted yet, or hidden by a note, is waited for.
    """
    done = done or Switching()
    if shown == wanted:
        return Steps(done=True)
    if shown is None or (done.passed and shown == done.passed[-1]):
        waits = Switching(done.passed, done.waited + 1)
        return Steps((Pause(_MOMENT),), progress=waits) if done.waited < _PATIENCE else None
    if shown in done.passed or len(done.passed) >= _KEYS:
        return None
    return Steps((Press(key),), progress=Switching((*done.passed, shown)))
