"""Interrupt, and switch the mode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clawtap_copilot.info import MODES
from clawtap_copilot.keys.profile import KEY_PROFILE
from clawtap_copilot.screen.composer import find_composer
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_copilot.screen.state import detect_state
from clawtap_copilot.words import WORDS
from clawtap_core import (
    Action,
    Expect,
    Interrupt,
    Pause,
    Press,
    Screen,
    SessionState,
    Steps,
    SwitchMode,
    hookimpl,
)
from clawtap_core.keystrokes import Stopped, clear_returned_message, switch_mode

_CANCELS = WORDS.pattern("state.cancels")
_RETURNS = WORDS.pattern("state.returns")
_AGAIN = WORDS.texts("state.again")[0]
_ESCAPES, _MOMENT, _PATIENCE = 10, 0.25, 8


@dataclass(frozen=True, slots=True)
class _Pressed:
    """How often Escape was pressed, and whether the CLI said that the message comes back.

    `waited`: how often the screen was read since the last Escape.
    """

    count: int = 0
    returns: bool = False
    waited: int = 0


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    if parse_prompt(screen):
        return None
    if isinstance(action, Interrupt):
        return _interrupt(action, screen, progress)
    if not isinstance(action, SwitchMode):
        return None
    return switch_mode(action.mode, MODES, find_composer(screen), "BTab", progress)


def _interrupt(action: Interrupt, screen: Screen, progress: Any) -> Steps | None:
    """Press Escape until the CLI stops: it takes two within half a second.

    Before its first answer, newer versions then put the message back into the composer.
    """
    seen, composer = detect_state(screen, None), find_composer(screen)
    busy = seen is not None and seen.state is SessionState.BUSY
    if isinstance(progress, Stopped):
        stopped = progress.after(idle=not busy)
        return clear_returned_message(action.sent, composer, stopped, KEY_PROFILE)
    pressed = progress or _Pressed()
    if not busy:
        if action.sent and pressed.returns:
            return Steps(progress=Stopped(), spans=True)
        return Steps(done=True) if pressed.count else None
    if pressed.count >= _ESCAPES:
        return None
    footer = composer.footer if composer else ""
    asks_again = _AGAIN in footer
    # Having taken two, it shows for a moment that it works on.
    stops = not asks_again and pressed.waited < _PATIENCE
    if pressed.count and (stops or _CANCELS.search(footer)):
        waiting = replace(pressed, waited=pressed.waited + 1)
        return Steps((Pause(_MOMENT),), progress=waiting, spans=True)
    # One too many would empty the composer or open a list, so each is seen to have arrived.
    effect = Expect(_AGAIN, gone=asks_again)
    returns = pressed.returns or _RETURNS.search(footer) is not None
    progress = _Pressed(pressed.count + 1, returns)
    return Steps((Press("Escape", deciding=True), effect), progress=progress, spans=True)
