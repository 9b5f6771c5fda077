"""Interrupt, and switch the mode and the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Pause,
    Screen,
    Steps,
    SwitchMode,
    hookimpl,
)
from clawtap_core.keystrokes import cycle, empty, holds, interrupt
from clawtap_qwen.info import MODES
from clawtap_qwen.keys.profile import KEY_PROFILE
from clawtap_qwen.screen.composer import Composer, find_composer
from clawtap_qwen.screen.prompt import parse_prompt
from clawtap_qwen.screen.state import detect_state

_LOOKS, _MOMENT = 12, 0.15


@dataclass(frozen=True, slots=True)
class _Stopped:
    """Looks since Escape was pressed."""

    waited: int = 0


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    if parse_prompt(screen):
        return None
    if isinstance(action, Interrupt):
        return _interrupt(action, screen, progress)
    composer = find_composer(screen)
    if not isinstance(action, SwitchMode) or composer is None or composer.draft:
        return None
    if action.mode not in {mode.id for mode in MODES}:
        return None
    return cycle(action.mode, composer.mode, "BTab", progress)


def _interrupt(action: Interrupt, screen: Screen, progress: Any) -> Steps | None:
    composer = find_composer(screen)
    if isinstance(progress, _Stopped):
        return _clear_returned_message(action.sent, composer, progress)
    steps = interrupt(detect_state(screen, None))
    # Newer versions put an interrupted message back into an empty composer.
    if steps is None or not action.sent or composer is None or composer.draft:
        return steps
    return replace(steps, progress=_Stopped(), spans=True, done=False)


def _clear_returned_message(
    sent: str, composer: Composer | None, progress: _Stopped
) -> Steps | None:
    after = _Stopped(progress.waited + 1)
    if progress.waited >= _LOOKS:
        return Steps(done=True)
    if composer and composer.draft and holds(composer.draft, sent):
        return replace(empty(composer.draft, after, KEY_PROFILE), spans=True)
    return Steps((Pause(_MOMENT),), progress=after, spans=True)
