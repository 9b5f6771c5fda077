"""The last block of a screen: the box at its end, where the agent asks or the user writes.

The agent's frame begins in the first column, everything it quotes is indented. So what counts
is not the words but the place: a box in the first column, whole, with one row of keys below
it, and nothing after that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from clawtap_core import Screen
from clawtap_core.screens import parsed_once

FOLD = "↩"
_TOP = re.compile(r"╭(?:─ (?P<header>.+?) )?─*╮")
_MIDDLE = re.compile(r"├─+┤")
_BOTTOM = re.compile(r"╰─+╯")


@dataclass(frozen=True)
class Block:
    """A box: the subject above its dividing line and the answers below; `top` is its first row."""

    top: int
    header: str | None
    subject: tuple[str, ...]
    answers: tuple[str, ...] | None
    footer: str


@parsed_once
def last_block(screen: Screen) -> Block | None:
    """Return the box at the end of the screen, or None while it is not whole."""
    lines = screen.text.split("\n")
    if len(lines) < 4 or not lines[-1].startswith(" ") or not _BOTTOM.fullmatch(lines[-2]):
        return None
    for top in range(len(lines) - 3, -1, -1):
        if head := _TOP.fullmatch(lines[top]):
            return _block(top, head, lines)
        is_row = lines[top].startswith("│ ") and lines[top].endswith(" │")
        if not (is_row or _MIDDLE.fullmatch(lines[top])):
            return None
    return None


def unfold(pieces: Iterable[str]) -> list[str]:
    """Return lines as they were before the agent folded them."""
    lines, open_line = [], ""
    for piece in pieces:
        if piece.endswith(FOLD):
            open_line += piece.removesuffix(FOLD)
        else:
            lines.append(open_line + piece)
            open_line = ""
    return [*lines, open_line] if open_line else lines


def _block(top: int, head: re.Match[str], lines: list[str]) -> Block | None:
    inside = lines[top + 1 : -2]
    dividers = [at for at, line in enumerate(inside) if _MIDDLE.fullmatch(line)]
    if len(dividers) > 1 or len(lines[-2]) != len(head[0]):
        return None
    at = dividers[0] if dividers else len(inside)
    answers = _texts(inside[at + 1 :]) if dividers else None
    return Block(top, head["header"], _texts(inside[:at]), answers, lines[-1].strip())


def _texts(lines: list[str]) -> tuple[str, ...]:
    return tuple(line[2:-2].rstrip() for line in lines)
