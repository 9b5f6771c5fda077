"""The composer: a box with the draft, the footer below it, and lists to complete between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core import Screen
from clawtap_core.screens import lowest_box, parsed_once, unwrap
from clawtap_kimi.info import MANUAL
from clawtap_kimi.screen.panel import end_above_footer
from clawtap_kimi.words import WORDS

_MODES = tuple((WORDS.pattern(f"modes.{mode}"), mode) for mode in ("plan", "yolo", "auto"))
_INPUT = re.compile(r"(?P<mark>[>!])(?: (?P<text>.*))?")
_TOP = re.compile(r" ╭[─ ].*╮")
_LISTED = re.compile(r" │.*│")
_INDENT, _SIDES = "  ", 9


@dataclass(frozen=True, slots=True)
class Composer:
    """What the composer shows; `top` is the row of its upper side.

    A draft for the shell begins with the `!` that opened it.
    """

    top: int
    draft: str
    mode: str | None


@parsed_once
def find_composer(screen: Screen) -> Composer | None:
    """Return the composer, or None while keys go elsewhere."""
    lines = screen.lines
    end = end_above_footer(lines)
    footer = lines[end:]
    if not any(footer):
        return None
    while end and _LISTED.fullmatch(lines[end - 1]):
        end -= 1
    # In shell mode, and while it scrolls, words are in the upper side.
    top = next((row for row in range(end - 1, -1, -1) if _TOP.fullmatch(lines[row])), None)
    if top is None:
        return None
    box = lowest_box((*lines[:top], _plain(lines[top]), *lines[top + 1 : end]))
    first = _INPUT.fullmatch(box.rows[0]) if box and box.rows else None
    if box is None or first is None or not box.whole or (box.top, box.bottom) != (top, end - 1):
        return None
    return Composer(top, _draft(first, box.rows[1:], box.width), _mode(footer[0]))


def _plain(side: str) -> str:
    return f" ╭{'─' * (len(side) - 3)}╮"


def _draft(first: re.Match[str], below: Sequence[str], width: int) -> str:
    rows = [first["text"] or "", *(row.removeprefix(_INDENT) for row in below)]
    draft = unwrap(rows, width - _SIDES).strip("\n")
    return f"!{draft}" if first["mark"] == "!" else draft


def _mode(footer: str) -> str:
    return next((mode for pattern, mode in _MODES if pattern.search(footer)), MANUAL)
