"""How the agent takes messages."""

from __future__ import annotations

from clawtap_core import Screen, SessionState
from clawtap_core.keystrokes import ComposerProfile, Draft
from clawtap_demo.screen.state import detect_state


def _read_draft(screen: Screen) -> Draft | None:
    seen = detect_state(screen)
    if seen is None or seen.draft is None:
        return None
    return Draft(seen.draft, idle=seen.state is SessionState.IDLE)


COMPOSER_PROFILE = ComposerProfile(_read_draft, after_text=0.0)
