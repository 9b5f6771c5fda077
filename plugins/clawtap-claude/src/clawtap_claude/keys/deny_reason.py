"""Refuse with a reason, in the text field that Tab opens on the denying row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clawtap_claude.keys.profile import KEYS
from clawtap_core import Pause, Steps
from clawtap_core.keystrokes import TextProgress, write_with_option
from clawtap_core.screens import ParsedPrompt

_PATIENCE = 5


@dataclass(frozen=True, slots=True)
class _OpeningField:
    """How many looks have waited for the line that offers the field."""

    waited: int = 0


def write_reason(
    parsed: ParsedPrompt, label: str, text: str, progress: TextProgress | _OpeningField | None
) -> Steps | None:
    """Return the next steps: select the row, press Tab, type the text, press Enter."""
    # Not every denying row has a field; without one, Enter alone refuses.
    row = parsed.row(label)
    if row and row.selected and parsed.field is None:
        waits = progress if isinstance(progress, _OpeningField) else _OpeningField()
        if waits.waited >= _PATIENCE:
            return KEYS.decide()
        # The line that offers it is painted last.
        return Steps((Pause(0.1),), progress=replace(waits, waited=waits.waited + 1))
    return write_with_option(
        parsed, label, text, None if isinstance(progress, _OpeningField) else progress, KEYS
    )
