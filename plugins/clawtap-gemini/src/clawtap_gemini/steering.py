"""Interrupting, and switching the mode and the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Press,
    Screen,
    SessionState,
    Steps,
    SwitchMode,
    SwitchModel,
    hookimpl,
)
from clawtap_gemini.composer import find_composer
from clawtap_gemini.composing import typed
from clawtap_gemini.detecting import read
from clawtap_gemini.info import MODES
from clawtap_gemini.state import detect_state

_YOLO = "yolo"
_PATIENCE = 4
_KEYS = 8


@dataclass(frozen=True, slots=True)
class _Switching:
    """The mode that the last key was pressed in, how many keys were, rounds waited since."""

    mode: str | None = None
    keys: int = 0
    waited: int = 0


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an action; None when the CLI can't."""
    if isinstance(action, Interrupt):
        return _interrupt(screen)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress or _Switching())
    return _switch_model(action, screen, progress)


def _interrupt(screen: Screen) -> Steps | None:
    """Escape, once, and only while the CLI is busy: a spare one opens a dialog."""
    seen = None if read(screen) else detect_state(screen, None)
    if seen is None or seen.state is not SessionState.BUSY:
        return None
    return Steps((Press("Escape", deciding=True),), done=True)


def _switch_mode(mode: str, screen: Screen, done: _Switching) -> Steps | None:
    """Shift+Tab goes round the modes that ask, Ctrl+Y is a switch: each key is read back."""
    composer = None if read(screen) else find_composer(screen)
    if mode not in {each.id for each in MODES} or composer is None or composer.draft:
        return None
    if composer.mode == mode:
        return Steps(done=True)
    if composer.mode is None or (done.keys and composer.mode == done.mode):
        # Not painted yet, or hidden by another note for a moment.
        waits = _Switching(done.mode, done.keys, done.waited + 1)
        return Steps(progress=waits) if done.waited < _PATIENCE else None
    if done.keys >= _KEYS:
        return None
    key = "C-y" if _YOLO in (mode, composer.mode) else "BTab"
    return Steps((Press(key),), progress=_Switching(composer.mode, done.keys + 1))


def _switch_model(action: SwitchModel, screen: Screen, progress: Any) -> Steps | None:
    if not action.model or not action.model.isprintable() or " " in action.model:
        return None
    return typed(f"/model set {action.model}", screen, progress)
