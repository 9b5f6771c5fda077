"""Describe how the CLI takes keys."""

from __future__ import annotations

from clawtap_claude.words import WORDS
from clawtap_core.keystrokes import KeyProfile

KEYS = KeyProfile(
    # A dialog that was just painted takes no keys yet, and older versions lose an Enter that
    # follows text at once.
    settled=WORDS.seconds("keys.settled"),
    # What has left the top of the screen does not come back.
    scrolls=False,
    continued=("\\",),
    # Older versions answer with the text as it was before the last event of the keyboard, which
    # may be all of it.
    reticks="Enter",
)
