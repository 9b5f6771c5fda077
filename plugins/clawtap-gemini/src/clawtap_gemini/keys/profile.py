"""How this CLI takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile

HANDS = KeyProfile(after_text=0.2, ticks="Enter", lines=True, field_sends=True)
"""It takes a fast Enter for a newline. Done may be out of sight, so what is typed is sent from
its field."""

AGAIN = 2
"""It loses a key now and then while a text field takes the focus."""
