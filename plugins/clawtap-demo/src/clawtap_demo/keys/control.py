"""Interrupting the agent, and switching its mode or model."""

from __future__ import annotations

from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Screen,
    Steps,
    SwitchMode,
    hookimpl,
    keystrokes,
)
from clawtap_demo.info import MODELS, MODES
from clawtap_demo.keys.compose import compose
from clawtap_demo.screen.state import detect_state


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Press Escape to interrupt and Shift+Tab for the next mode; type /model for a model."""
    seen = detect_state(screen)
    if seen is None:
        return None
    if isinstance(action, Interrupt):
        return keystrokes.interrupt(seen) or Steps(done=True)
    if isinstance(action, SwitchMode):
        if action.mode not in MODES or seen.mode not in MODES:
            return None
        return keystrokes.cycle(action.mode, seen.mode, "BTab", progress)
    if action.model not in {model.id for model in MODELS}:
        return None
    if seen.model == action.model:
        return Steps(done=True)
    return compose(f"/model {action.model}", screen, progress)
