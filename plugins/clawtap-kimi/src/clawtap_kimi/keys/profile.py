"""How Kimi Code takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile
from clawtap_kimi.words import WORDS

# A list with boxes has its keys for each row; Tab goes on to the next question.
KEY_PROFILE = KeyProfile(after_text=WORDS.seconds("keys.after_text"), next_page="Tab")
