"""Interrupt, and switch the plan mode."""

from __future__ import annotations

from typing import Any

from clawtap_core import Action, Interrupt, Screen, Steps, SwitchMode, hookimpl
from clawtap_core.keystrokes import interrupt, switch_mode
from clawtap_kimi.info import MODES
from clawtap_kimi.screen.composer import find_composer
from clawtap_kimi.screen.panel import find_panel
from clawtap_kimi.screen.state import detect_state


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action; None when the CLI cannot do it now."""
    if find_panel(screen):
        return None
    if isinstance(action, Interrupt):
        return interrupt(detect_state(screen, None))
    if not isinstance(action, SwitchMode):
        return None
    # The key leads from the mode that the CLI was started in to plan mode and back.
    return switch_mode(action.mode, MODES, find_composer(screen), "BTab", progress)
