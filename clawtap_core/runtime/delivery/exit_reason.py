"""What the end of a CLI says: of a key that was just sent, and to who wonders why it ended."""

from __future__ import annotations

from clawtap_core.model import Screen
from clawtap_core.runtime.delivery.executor import Delivered

LINES, LENGTH = 5, 600


def fate_of(reason: str) -> Delivered:
    """What an end makes of a key that was just sent: who exits in order took it."""
    if reason == "ended with status 0":
        return Delivered.DONE
    killed = reason.startswith("ended by signal") or reason == "tmux ended"
    return Delivered.NOT_CONFIRMED if killed else Delivered.GONE


def told(reason: str, screen: Screen) -> str:
    """The reason with the last lines that the program left, without what tmux writes below."""
    lines = [line.strip() for line in screen.lines if not line.startswith("Pane is dead")]
    words = "\n".join([line for line in lines if line][-LINES:])
    return f"{reason}: {words[-LENGTH:]}" if words else reason
