"""A box with characters that the terminal draws wider than the CLI counts, such as skin tones.

The end of their row is on the next one then. The CLI leaves out what it takes for unchanged, so
rows below show what was there before.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clawtap_core import Screen

_SIDE = "│"
_ROW = re.compile(r"│ .*")
_END = re.compile(r"(?P<sides> │)(?: .*)?|(?P<alone>│(?: │)?)")
# A box has a blank column inside its sides, and so has a rule in it.
_LEFT_OVER = re.compile(r"│[^ ].*│|│ ─+│")
_RULE_LEFT_OVER = re.compile(r"(?<=\S)─+(?=│$)")


def without_overflow(screen: Screen) -> Screen:
    """Return the screen with each row that overflowed in one piece, and without what is older."""
    if not any(row.startswith((_SIDE, f" {_SIDE}")) for row in screen.lines):
        return screen
    rows: list[str] = []
    lines = screen.lines
    for at, (line, captured) in enumerate(zip(lines, screen.captured, strict=True)):
        end = _END.fullmatch(line) if at and _ROW.fullmatch(lines[at - 1]) else None
        if end:
            rows[-1] += end["sides"] or end["alone"]
        else:
            clean = _cleaned(line)
            rows.append(captured if clean == line else clean)
    if rows == list(screen.captured):
        return screen
    return replace(screen, captured=(*rows, *[""] * (len(lines) - len(rows))))


def _cleaned(line: str) -> str:
    """Return a row of a box without what stood there before."""
    if _LEFT_OVER.fullmatch(line):
        return _SIDE + " " * (len(line) - 2) + _SIDE
    return _RULE_LEFT_OVER.sub(lambda rule: " " * len(rule[0]), line)
