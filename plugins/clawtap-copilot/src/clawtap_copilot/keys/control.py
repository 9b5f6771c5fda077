"""Interrupt, and switch the mode."""

from __future__ import annotations

from typing import Any

from clawtap_copilot.info import MODES
from clawtap_copilot.screen.composer import find_composer
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_copilot.screen.state import detect_state
from clawtap_copilot.words import WORDS
from clawtap_core import Action, Interrupt, Screen, Steps, SwitchMode, hookimpl
from clawtap_core.keystrokes import cycle, interrupt

_AGAIN = WORDS.texts("state.again")[0]


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    if parse_prompt(screen):
        return None
    if isinstance(action, Interrupt):
        return interrupt(detect_state(screen, None), screen, progress, again=_AGAIN)
    composer = find_composer(screen)
    if not isinstance(action, SwitchMode) or composer is None or composer.draft:
        return None
    if action.mode not in {mode.id for mode in MODES}:
        return None
    return cycle(action.mode, composer.mode, "BTab", progress)
