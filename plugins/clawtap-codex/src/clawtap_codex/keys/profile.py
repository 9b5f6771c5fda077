"""How this CLI takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile

KEY_PROFILE = KeyProfile(after_text=0.25)
"""It takes a fast Enter for a newline."""
