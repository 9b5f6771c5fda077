"""Interrupting, and switching the mode and the model."""

from __future__ import annotations

from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Screen,
    Steps,
    SwitchMode,
    SwitchModel,
    hookimpl,
)
from clawtap_core.keystrokes import compose, cycle, interrupt
from clawtap_gemini.info import MODES
from clawtap_gemini.keys.compose import WAYS
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.prompt import read
from clawtap_gemini.screen.state import detect_state

_YOLO = "yolo"


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an action; None when the CLI can't."""
    if isinstance(action, Interrupt):
        return _interrupt(screen)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress)
    return _switch_model(action, screen, progress)


def _interrupt(screen: Screen) -> Steps | None:
    """A spare Escape opens a dialog."""
    return None if read(screen) else interrupt(detect_state(screen, None))


def _switch_mode(mode: str, screen: Screen, progress: Any) -> Steps | None:
    """Shift+Tab goes round the modes that ask, Ctrl+Y is a switch."""
    composer = None if read(screen) else find_composer(screen)
    if mode not in {each.id for each in MODES} or composer is None or composer.draft:
        return None
    key = "C-y" if _YOLO in (mode, composer.mode) else "BTab"
    return cycle(mode, composer.mode, key, progress)


def _switch_model(action: SwitchModel, screen: Screen, progress: Any) -> Steps | None:
    if not action.model or not action.model.isprintable() or " " in action.model:
        return None
    return compose(f"/model set {action.model}", screen, progress, WAYS)
