"""How OpenCode takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile
from clawtap_opencode.words import WORDS

KEY_PROFILE = KeyProfile(
    after_text=WORDS.seconds("keys.after_text"), ticks="Enter", next_page="Tab"
)
