"""Refuse or allow with a reason, in the text field that Tab opens on the row of the option."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clawtap_claude.keys.profile import KEYS
from clawtap_core import Pause, Screen, Steps
from clawtap_core.keystrokes import TextProgress, choose, line, write_with_option
from clawtap_core.screens import ParsedPrompt, cells

_PATIENCE = 5
# Columns before and after a row of the text, and what it keeps free of words that wrap.
_MARGIN, _RAGGED = 12, 1.15
# The CLI and the terminal disagree on the width of what embeds, overrides or isolates a direction,
# which leaves rests of the field's old row in it.
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class _OpeningField:
    """How many looks have waited for the line that offers the field."""

    waited: int = 0


def write_reason(
    parsed: ParsedPrompt,
    label: str,
    text: str,
    progress: TextProgress | _OpeningField | None,
    screen: Screen,
) -> Steps | None:
    """Return the next steps: select the row, press Tab, type the text, press Enter."""
    # Not every row has a field; without one, Enter alone decides.
    row = parsed.row(label)
    opened = parsed.field is not None and parsed.field.focused
    if not opened and not (_has_room(parsed, screen, text) and can_be_read_back(text)):
        steps = choose(parsed, label, KEYS)
        return replace(steps, reason_left=True) if steps and steps.deciding else steps
    if row and row.selected and parsed.field is None:
        waits = progress if isinstance(progress, _OpeningField) else _OpeningField()
        if waits.waited >= _PATIENCE:
            return replace(KEYS.decide(), reason_left=True)
        # The line that offers it is painted last.
        return Steps((Pause(0.1),), progress=replace(waits, waited=waits.waited + 1))
    steps = write_with_option(
        parsed, label, text, None if isinstance(progress, _OpeningField) else progress, KEYS
    )
    return steps and replace(steps, reason_given=steps.done)


def can_be_read_back(text: str) -> bool:
    """Return False for a text of which a field on the screen shows something else."""
    return not _DIRECTION.search(text)


def _has_room(parsed: ParsedPrompt, screen: Screen, text: str) -> bool:
    """Return True if the list stays in sight while the text stands in its field.

    The field grows with the text, and moves all that is above it off the screen.
    """
    rows = cells(line(text)) * _RAGGED / max(screen.cols - _MARGIN, 1)
    # The question, the other options, the hint below and the blank rows between them.
    return rows + len(parsed.rows) + 6 <= screen.rows
