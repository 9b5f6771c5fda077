"""How Gemini CLI takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile
from clawtap_gemini.words import WORDS

# An Enter that follows a key too fast becomes a newline. Done may be out of sight, so that typed
# text is sent from its field. Key by key, 1,200 characters take the CLI half a minute.
KEY_PROFILE = KeyProfile(
    after_text=WORDS.seconds("keys.after_text"),
    ticks="Enter",
    lines=True,
    field_sends=True,
    piece=400,
)

# The CLI sometimes loses a key while a text field takes the focus.
TRIES = 2
