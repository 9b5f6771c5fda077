"""Interrupt, and switch the mode."""

from __future__ import annotations

from typing import Any

from clawtap_copilot.info import MODES
from clawtap_copilot.screen.composer import find_composer
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_copilot.screen.state import detect_state
from clawtap_copilot.words import WORDS
from clawtap_core import (
    Action,
    Interrupt,
    Pause,
    Press,
    Screen,
    SessionState,
    Steps,
    SwitchMode,
    hookimpl,
)
from clawtap_core.keystrokes import switch_mode

_CANCELS = WORDS.pattern("state.cancels")
_BETWEEN = WORDS.seconds("keys.between_escapes")
_ESCAPES = 10


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    if parse_prompt(screen):
        return None
    if isinstance(action, Interrupt):
        return _interrupt(screen, progress or 0)
    if not isinstance(action, SwitchMode):
        return None
    return switch_mode(action.mode, MODES, find_composer(screen), "BTab", progress)


def _interrupt(screen: Screen, pressed: int) -> Steps | None:
    """Press Escape until the CLI stops: it takes two, neither too soon nor too late one by one."""
    seen = detect_state(screen, None)
    if seen is None or seen.state is not SessionState.BUSY:
        return Steps(done=True) if pressed else None
    if pressed >= _ESCAPES:
        return None
    composer = find_composer(screen)
    if pressed and composer and _CANCELS.search(composer.footer):
        return Steps((Pause(_BETWEEN),), progress=pressed, spans=True)
    keys = (Press("Escape", deciding=True), Pause(_BETWEEN))
    return Steps(keys, progress=pressed + 1, spans=True)
