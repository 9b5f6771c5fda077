"""Interrupt, and switch between building and planning."""

from __future__ import annotations

from typing import Any

from clawtap_core import Action, Interrupt, Screen, Steps, SwitchMode, hookimpl
from clawtap_core.keystrokes import interrupt, switch_mode
from clawtap_opencode.info import MODES
from clawtap_opencode.screen.composer import find_composer
from clawtap_opencode.screen.prompt import parse_prompt
from clawtap_opencode.screen.state import detect_state
from clawtap_opencode.words import WORDS

_AGAIN = WORDS.texts("state.again")[0]


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    composer = find_composer(screen)
    # Escape would close a list that the desk has open, and take its draft with it.
    if parse_prompt(screen) or (composer and composer.menu):
        return None
    if isinstance(action, Interrupt):
        return interrupt(detect_state(screen, None), screen, progress, again=_AGAIN)
    if not isinstance(action, SwitchMode):
        return None
    return switch_mode(action.mode, MODES, composer, "Tab", progress)
