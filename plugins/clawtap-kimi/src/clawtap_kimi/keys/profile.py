"""How Kimi Code takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile
from clawtap_kimi.words import WORDS

# A list with boxes has a key for each row; Tab leads to the next question.
KEY_PROFILE = KeyProfile(after_text=WORDS.seconds("keys.after_text"), next_page="Tab")
