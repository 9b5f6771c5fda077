"""Interrupt, and switch the mode and the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Screen,
    SessionState,
    Steps,
    SwitchMode,
    hookimpl,
)
from clawtap_core.keystrokes import Stopped, clear_returned_message, interrupt, switch_mode
from clawtap_qwen.info import MODES
from clawtap_qwen.keys.profile import KEY_PROFILE
from clawtap_qwen.screen.composer import find_composer
from clawtap_qwen.screen.prompt import parse_prompt
from clawtap_qwen.screen.state import detect_state

_SHELL = "!"


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
    composer, seen = find_composer(screen), detect_state(screen, None)
    if isinstance(progress, Stopped):
        idle = seen is None or seen.state is not SessionState.BUSY
        return clear_returned_message(action.sent, composer, progress.after(idle=idle), KEY_PROFILE)
    if composer and composer.draft not in ("", _SHELL):
        # Escape is for the draft then, or for the menu that it opened: a second would clear it.
        return None
    steps = interrupt(seen)
    # Newer versions put an interrupted message back into an empty composer.
    if steps is None or not action.sent or composer is None or composer.draft:
        return steps
    return replace(steps, progress=Stopped(), spans=True, done=False)
