"""Interpret the exit of a CLI: what it means for the last key, and its reason."""

from __future__ import annotations

from clawtap_core.model import Screen
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.terminal.api import PaneEnd

LINES, LENGTH = 5, 600


def outcome_of_exit(end: PaneEnd) -> Delivered:
    """Return the outcome of a key after which the CLI exited: an orderly exit took it."""
    if end.status == 0:
        return Delivered.DONE
    return Delivered.NOT_CONFIRMED if end.killed else Delivered.GONE


def describe_exit(reason: str, screen: Screen) -> str:
    """Return the reason with the program's last lines, without tmux's own line below."""
    lines = [line.strip() for line in screen.lines if not line.startswith("Pane is dead")]
    words = "\n".join([line for line in lines if line][-LINES:])
    return f"{reason}: {words[-LENGTH:]}" if words else reason
