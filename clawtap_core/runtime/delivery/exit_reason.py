"""Interpret the exit of a CLI: what it means for the last key, and its reason."""

from __future__ import annotations

import re

from clawtap_core.model import Screen
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.terminal.api import PaneEnd

LINES, LENGTH = 5, 600
# A call in the trace that Node.js prints below an error.
_FRAME = re.compile(r" +at (?:\S.* \()?(?:file:|node:|/)")


def outcome_of_exit(end: PaneEnd) -> Delivered:
    """Return the outcome of a key after which the CLI exited: an orderly exit took it."""
    if end.status == 0:
        return Delivered.DONE
    return Delivered.NOT_CONFIRMED if end.killed else Delivered.GONE


def describe_exit(reason: str, screen: Screen) -> str:
    """Return the reason with the program's last lines, without a trace or what tmux adds."""
    rows = [row for row in screen.lines if not row.startswith("Pane is dead")]
    trace = next((at for at, row in enumerate(rows) if _FRAME.match(row)), None)
    # Above the trace stands the error; without one, the calls are all there is.
    lines = [line for line in map(str.strip, rows[: trace or None]) if line]
    words = "\n".join(lines[-LINES:])
    return f"{reason}: {words[-LENGTH:]}" if words else reason
