"""Interrupt, and switch the mode and the model."""

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
from clawtap_gemini.keys.compose import COMPOSER
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.prompt import read_prompt
from clawtap_gemini.screen.state import detect_state

_YOLO = "yolo"


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    if isinstance(action, Interrupt):
        # A spare Escape opens the list of messages to go back to.
        return None if read_prompt(screen) else interrupt(detect_state(screen, None))
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress)
    return _switch_model(action, screen, progress)


def _switch_mode(mode: str, screen: Screen, progress: Any) -> Steps | None:
    composer = None if read_prompt(screen) else find_composer(screen)
    if mode not in {each.id for each in MODES} or composer is None or composer.draft:
        return None
    # Shift+Tab cycles through the modes that ask; Ctrl+Y turns YOLO on and off.
    key = "C-y" if _YOLO in (mode, composer.mode) else "BTab"
    return cycle(mode, composer.mode, key, progress)


def _switch_model(action: SwitchModel, screen: Screen, progress: Any) -> Steps | None:
    if not action.model or not action.model.isprintable() or " " in action.model:
        return None
    return compose(f"/model set {action.model}", screen, progress, COMPOSER)
