"""How the CLI accepts keys."""

from __future__ import annotations

from clawtap_codex.words import WORDS
from clawtap_core.keystrokes import KeyProfile

# The CLI takes an Enter right after text for a newline.
KEY_PROFILE = KeyProfile(after_text=WORDS.seconds("keys.after_text"))
