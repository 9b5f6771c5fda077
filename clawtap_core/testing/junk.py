"""Screens and protocol lines that no CLI ever wrote, for hypothesis."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from clawtap_core.model import Screen
from clawtap_core.testing.alterations import CELLS, KINDS, Alteration, altered

_ROWS = st.lists(st.text(st.sampled_from(CELLS) | st.characters(), max_size=60), max_size=40)


def junk_screens(real: Sequence[Screen] = ()) -> st.SearchStrategy[Screen]:
    """Return random rows, and real screens that are cut, shuffled or mixed with junk."""
    random_screens = st.builds(Screen, _ROWS.map(tuple), st.integers(1, 200), st.integers(1, 60))
    if not real:
        return random_screens
    damaged = st.builds(_damage, st.sampled_from(real), _ROWS, st.integers(0, 60), st.integers(0))
    return random_screens | damaged


def _damage(screen: Screen, rows: list[str], at: int, width: int) -> Screen:
    cut = [
        row[: width % (len(row) + 1)] if i % 3 == at % 3 else row
        for i, row in enumerate(screen.captured)
    ]
    return replace(screen, captured=(*cut[at % (len(cut) + 1) :], *rows[:3], *cut[:at]))


def altered_screens(real: Sequence[Screen]) -> st.SearchStrategy[Screen]:
    """Return real screens with rows cut, blanked, removed, doubled, swapped or overwritten."""
    return st.builds(altered, st.sampled_from(real), st.lists(_ALTERATIONS, min_size=1, max_size=4))


_ALTERATIONS = st.builds(
    Alteration,
    st.sampled_from(KINDS),
    st.integers(0, 200),
    st.integers(0, 200),
    st.text(st.sampled_from(CELLS), min_size=1, max_size=6),
)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)


def junk_lines(real: Sequence[Mapping[str, Any]]) -> st.SearchStrategy[list[bytes]]:
    """Return real messages in any order and number, damaged, with garbage, in any pieces."""
    message = st.builds(_spoil, st.sampled_from(real), st.randoms(use_true_random=False), _VALUES)
    garbage = st.binary(max_size=30) | st.just(b"{" * 2000) | st.just(b"[1, 2]")
    line = st.sampled_from(real).map(_line) | message.map(_line) | garbage
    whole = st.lists(line, max_size=12).map(b"\n".join)
    return st.builds(_cut, whole, st.lists(st.integers(0, 4000), max_size=5))


def _spoil(message: Any, random: Any, value: Any) -> Any:
    """Return the message with one value replaced."""
    if not isinstance(message, (dict, list)) or not message or random.random() < 0.15:
        return value
    at = random.choice(list(message) if isinstance(message, dict) else range(len(message)))
    copy: Any = dict(message) if isinstance(message, dict) else list(message)
    copy[at] = _spoil(copy[at], random, value)
    return copy


def _line(message: Any) -> bytes:
    return json.dumps(message).encode()


def _cut(whole: bytes, at: Sequence[int]) -> list[bytes]:
    places = sorted({0, len(whole), *(place for place in at if place < len(whole))})
    pieces = [whole[start:end] for start, end in pairwise(places)]
    return [piece for piece in pieces if piece]
