"""Choosing one row: by the key that is proven for it, else by moving the cursor to it."""

from __future__ import annotations

from typing import Any

from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.model import Press, Steps
from clawtap_core.screens import OptionRow, ParsedPrompt


def choose(now: ParsedPrompt, label: str, hands: KeyProfile, done: Any = None) -> Steps | None:
    """The next key towards this row, or the one that decides. None: it cannot be found."""
    row, key = now.row(label), now.key(label)
    into_text = now.field is not None and now.field.row is not None and now.field.focused
    if key and not into_text:
        return hands.decide(key)
    if row is None:
        return look_for(now, hands, done)
    return hands.decide() if row.selected else move_to(now, row, done)


def move_to(now: ParsedPrompt, row: OptionRow, done: Any = None) -> Steps:
    """The arrow that leads from the cursor to a row that is in view."""
    selected = next((each.first for each in now.drawn if each.selected), 0)
    return press("Down" if selected < row.first else "Up", done)


def look_for(now: ParsedPrompt, hands: KeyProfile, done: Any = None) -> Steps | None:
    """One row further, where the list is longer than its window. None: there is no more."""
    return press("Down", done) if now.form.more_options and hands.scrolls else None


def press(key: str, done: Any = None) -> Steps:
    """One key that decides nothing."""
    return Steps((Press(key),), progress=done)
