"""Choosing one row: by the key that is proven for it, else by moving the cursor to it."""

from __future__ import annotations

from typing import Any

from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.model import Press, Steps
from clawtap_core.screens import OptionRow, ParsedPrompt


def choose(
    parsed: ParsedPrompt, label: str, profile: KeyProfile, progress: Any = None
) -> Steps | None:
    """The next key towards this row, or the one that decides. None: it cannot be found."""
    row, key = parsed.row(label), parsed.key(label)
    into_text = parsed.field is not None and parsed.field.row is not None and parsed.field.focused
    if key and not into_text:
        return profile.decide(key)
    if row is None:
        return look_for(parsed, profile, progress)
    return profile.decide() if row.selected else move_to(parsed, row, progress)


def move_to(parsed: ParsedPrompt, row: OptionRow, progress: Any = None) -> Steps:
    """The arrow that leads from the cursor to a row that is in view."""
    selected = next((each.first for each in parsed.drawn if each.selected), 0)
    return press("Down" if selected < row.first else "Up", progress)


def look_for(parsed: ParsedPrompt, profile: KeyProfile, progress: Any = None) -> Steps | None:
    """One row further, where the list is longer than its window. None: there is no more."""
    return press("Down", progress) if parsed.form.more_options and profile.scrolls else None


def press(key: str, progress: Any = None) -> Steps:
    """One key that decides nothing."""
    return Steps((Press(key),), progress=progress)
