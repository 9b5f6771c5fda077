"""How Qwen Code takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile
from clawtap_qwen.words import WORDS

# An Enter on any row with a box sends the page, and so does one in the text field.
KEY_PROFILE = KeyProfile(
    after_text=WORDS.seconds("keys.after_text"), field_sends=True, next_page="Enter"
)
