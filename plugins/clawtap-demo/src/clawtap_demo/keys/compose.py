"""Sending a message."""

from __future__ import annotations

from typing import Any

from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_demo.keys.profile import COMPOSER_PROFILE


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Type the text, read it back, then press Enter."""
    return keystrokes.compose(text, screen, progress, COMPOSER_PROFILE)
