"""How the agent takes messages."""

from __future__ import annotations

from clawtap_core.keystrokes import ComposerProfile, draft_of
from clawtap_demo.screen.state import detect_state

COMPOSER_PROFILE = ComposerProfile(lambda screen: draft_of(detect_state(screen)), after_text=0.0)
