"""Screens that no CLI ever painted, for hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from clawtap_core.model import Screen

_CELLS = st.sampled_from(
    "╭╮╰╯│─●○◉□☐☑✓✦◇❯›>?*-[]()1234567890. ▲▼⠋\x1b[1m\x1b[0m\t\x00aZé漢\u200b👍"
)
_ROWS = st.lists(st.text(_CELLS | st.characters(), max_size=60), max_size=40)


def junk_screens(real: Sequence[Screen] = ()) -> st.SearchStrategy[Screen]:
    """Random rows, and real screens that are cut, shuffled or have rows of junk."""
    made = st.builds(_screen, _ROWS, st.integers(1, 200), st.integers(1, 60))
    if not real:
        return made
    damaged = st.builds(_damage, st.sampled_from(real), _ROWS, st.integers(0, 60), st.integers(0))
    return made | damaged


def _screen(rows: list[str], cols: int, height: int) -> Screen:
    return Screen(tuple(rows), cols, height)


def _damage(screen: Screen, rows: list[str], at: int, width: int) -> Screen:
    cut = [
        row[: width % (len(row) + 1)] if i % 3 == at % 3 else row for i, row in _numbered(screen)
    ]
    return replace(screen, captured=(*cut[at % (len(cut) + 1) :], *rows[:3], *cut[:at]))


def _numbered(screen: Screen) -> list[tuple[int, str]]:
    return list(enumerate(screen.captured))
