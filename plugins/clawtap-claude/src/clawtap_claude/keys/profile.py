"""How this CLI takes keys."""

from __future__ import annotations

from clawtap_core.keystrokes import KeyProfile

KEYS = KeyProfile(settled=0.25, scrolls=False)
"""A dialog that was just painted does not take keys yet; older versions lose an Enter that
follows text at once. What has gone off the top of the screen does not come back."""
