"""Choose one row, by its proven key or by moving the cursor to it."""

from __future__ import annotations

import operator
from typing import Any

from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.model import Press, Steps
from clawtap_core.screens import OptionRow, ParsedPrompt


def choose(
    parsed: ParsedPrompt, label: str, profile: KeyProfile, progress: Any = None
) -> Steps | None:
    """Return the next key towards this row or the deciding one, or None if it is missing."""
    row, key = parsed.row(label), parsed.key(label)
    into_text = parsed.field is not None and parsed.field.row is not None and parsed.field.focused
    if key and not into_text:
        return profile.decide(key)
    if row is None:
        return look_for(parsed, profile, progress)
    return profile.decide() if row.selected else move_to(parsed, row, progress)


def move_to(parsed: ParsedPrompt, row: OptionRow, progress: Any = None) -> Steps:
    """Press the arrow that leads from the cursor to a visible row."""
    place = operator.attrgetter("column" if parsed.axis == "across" else "first")
    selected = next((place(drawn) for drawn in parsed.drawn if drawn.selected), 0)
    back, forward = parsed.arrows
    return press(forward if selected < place(row) else back, progress)


def look_for(parsed: ParsedPrompt, profile: KeyProfile, progress: Any = None) -> Steps | None:
    """Move one row on in a list longer than its window, or return None."""
    return (
        press(parsed.arrows[1], progress) if parsed.form.more_options and profile.scrolls else None
    )


def press(key: str, progress: Any = None) -> Steps:
    """Press one key that decides nothing."""
    return Steps((Press(key),), progress=progress)
