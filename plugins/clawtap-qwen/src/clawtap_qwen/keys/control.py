"""Interrupt, and switch the mode and the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Pause,
    Screen,
    SessionState,
    Steps,
    SwitchMode,
    hookimpl,
)
from clawtap_core.keystrokes import empty, holds, interrupt, switch_mode
from clawtap_qwen.info import MODES
from clawtap_qwen.keys.profile import KEY_PROFILE
from clawtap_qwen.screen.composer import Composer, find_composer
from clawtap_qwen.screen.prompt import parse_prompt
from clawtap_qwen.screen.state import detect_state

_BACK, _STOPPING, _MOMENT = 4, 20, 0.25


@dataclass(frozen=True, slots=True)
class _Stopped:
    """Counts of looks since Escape was pressed, and of those at an idle screen."""

    waited: int = 0
    idle: int = 0

    def after(self, *, idle: bool) -> _Stopped:
        """Return the counts with one more look."""
        return _Stopped(self.waited + 1, self.idle + idle)


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
    if isinstance(progress, _Stopped):
        idle = seen is None or seen.state is not SessionState.BUSY
        return _clear_returned_message(action.sent, composer, progress.after(idle=idle))
    steps = interrupt(seen)
    # Newer versions put an interrupted message back into an empty composer.
    if steps is None or not action.sent or composer is None or composer.draft:
        return steps
    return replace(steps, progress=_Stopped(), spans=True, done=False)


def _clear_returned_message(sent: str, composer: Composer | None, progress: _Stopped) -> Steps:
    if composer and composer.draft and holds(composer.draft, sent):
        return replace(empty(composer.draft, progress, KEY_PROFILE), spans=True)
    if progress.idle > _BACK or progress.waited > _STOPPING:
        return Steps(done=True)
    return Steps((Pause(_MOMENT),), progress=progress, spans=True)
