"""How the CLI accepts keys."""

from __future__ import annotations

from clawtap_codex.words import WORDS
from clawtap_core.keystrokes import KeyProfile

KEY_PROFILE = KeyProfile(
    # The CLI takes an Enter right after text for a newline.
    after_text=WORDS.seconds("keys.after_text"),
    # In empty notes this key opens the list of shortcuts (0.116).
    pasted=("?",),
    # Of more than a thousand characters the CLI shows how many they are.
    piece=900,
)
