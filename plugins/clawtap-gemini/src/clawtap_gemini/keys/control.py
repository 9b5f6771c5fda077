"""Interrupt, and switch the mode and the model."""

from __future__ import annotations

from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Pause,
    Press,
    Screen,
    Steps,
    SwitchMode,
    hookimpl,
)
from clawtap_core.keystrokes import cycle, interrupt
from clawtap_gemini.info import MODES
from clawtap_gemini.keys.compose import compose
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.prompt import parse_prompt
from clawtap_gemini.screen.state import detect_state

_YOLO = "yolo"
_LOOKS, _MOMENT = 15, 0.1
_BETWEEN = 0.7


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    if isinstance(action, Interrupt):
        return None if parse_prompt(screen) else _interrupt(screen, progress)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress)
    if not action.model or not action.model.isprintable() or " " in action.model:
        return None
    return compose(f"/model set {action.model}", screen, progress)


def _interrupt(screen: Screen, progress: Any) -> Steps | None:
    # Where the user types by vi keys, 0.61 takes the first Escape for the end of INSERT and the
    # second for an interrupt; to 0.34 the first is one already. A spare Escape opens the list of
    # messages to go back to.
    composer = find_composer(screen)
    covered = composer is not None and composer.menu and composer.vim is None
    looks = progress if isinstance(progress, int) else None
    steps = interrupt(detect_state(screen, None), progress=progress, covered=covered)
    if looks is None:
        if steps is None or not steps.done or composer is None or composer.vim != "INSERT":
            return steps
        # Two that come fast count as one.
        keys = (Press("Escape", deciding=True), Pause(_BETWEEN))
        return Steps(keys, progress=1, spans=True)
    if looks >= _LOOKS or (steps is None and composer and composer.vim == "INSERT"):
        return Steps(done=True)
    if steps and composer and composer.vim == "NORMAL":
        return steps
    return Steps((Pause(_MOMENT),), progress=looks + 1, spans=True)


def _switch_mode(mode: str, screen: Screen, progress: Any) -> Steps | None:
    composer = None if parse_prompt(screen) else find_composer(screen)
    if mode not in {each.id for each in MODES} or composer is None or composer.draft:
        return None
    # Shift+Tab cycles through the modes that ask; Ctrl+Y turns YOLO on and off.
    key = "C-y" if _YOLO in (mode, composer.mode) else "BTab"
    return cycle(mode, composer.mode, key, progress)
