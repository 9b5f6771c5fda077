"""How Qwen Code takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile
from clawtap_qwen.words import WORDS

# An Enter on any row with a box sends the page; one in the text field does not in older versions.
KEY_PROFILE = KeyProfile(
    settled=WORDS.seconds("keys.settled"),
    after_text=WORDS.seconds("keys.after_text"),
    next_page="Enter",
)
