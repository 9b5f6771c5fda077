"""How GitHub Copilot CLI takes keys."""

from __future__ import annotations

from clawtap_copilot.words import WORDS
from clawtap_core.keystrokes import KeyProfile

KEY_PROFILE = KeyProfile(
    after_text=WORDS.seconds("keys.after_text"),
    ticks="Space",
    next_page="Enter",
    continued=("\\",),
)
