"""Describe how the CLI takes keys."""

from __future__ import annotations

from dataclasses import replace

from clawtap_claude.screen.questions import ParsedQuestion
from clawtap_claude.words import WORDS
from clawtap_core.keystrokes import KeyProfile
from clawtap_core.screens import ParsedPrompt

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
_IN_A_WINDOW = replace(KEYS, scrolls=True)


def keys_of(parsed: ParsedPrompt) -> KeyProfile:
    """Return how a list takes keys: that of a question may scroll in a window of its own."""
    return _IN_A_WINDOW if isinstance(parsed, ParsedQuestion) and parsed.scrolls else KEYS
