"""How the CLI accepts keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile

# The CLI takes an Enter right after text for a newline.
KEY_PROFILE = KeyProfile(after_text=0.25)
