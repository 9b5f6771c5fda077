"""The composer at the bottom: the draft between two rules, the footer below them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clawtap_core import Screen
from clawtap_core.screens import parsed_once, unwrap
from clawtap_qwen.words import WORDS

_RULE = WORDS.pattern("composer.rule")
_INPUT = re.compile(r"(?P<mark>[>*!]|\(r:\))(?: (?P<text>.*))?")
# What is typed then is a command for the shell, or searches the messages of before.
_OTHER_MARKS = ("!", "(r:)")
_PLACEHOLDER = WORDS.pattern("composer.placeholder")
_CURSOR = re.compile(" ?\u200b")
_MODES = tuple(
    (WORDS.pattern(f"modes.{mode.replace('-', '_')}"), mode)
    for mode in ("plan", "auto-edit", "yolo", "auto", "default")
)
_MODEL = WORDS.pattern("composer.model")
_MARGIN = 2
# The CLI gives a draft nine tenths of the pane.
_SHARE, _EDGES = 0.9, 6


@dataclass(frozen=True, slots=True)
class Composer:
    """What the composer shows; `rule` is the screen row above it.

    A draft for the shell begins with the `!` that opened it, one that searches with `(r:)`.
    """

    rule: int
    draft: str
    mode: str | None
    model: str | None
    footer: str


@parsed_once
def find_composer(screen: Screen) -> Composer | None:
    """Return the composer, or None while it is not shown."""
    lines = screen.lines
    rules = [row for row, line in enumerate(lines) if _RULE.fullmatch(line)]
    if len(rules) < 2:
        return None
    above, below = rules[-2:]
    first = _INPUT.fullmatch(lines[above + 1]) if below > above + 1 else None
    if first is None:
        return None
    rows = [first["text"] or "", *(line[_MARGIN:] for line in lines[above + 2 : below])]
    draft = ""
    if not _PLACEHOLDER.fullmatch(rows[0]):
        plain = [_CURSOR.sub("", row) for row in rows]
        draft = unwrap(plain, int(screen.cols * _SHARE) - _EDGES).strip("\n")
    footer = "\n".join(lines[below + 1 :])
    return Composer(
        above,
        first["mark"] + draft if first["mark"] in _OTHER_MARKS else draft,
        next((mode for pattern, mode in _MODES if pattern.search(footer)), None),
        match["model"] if (match := _MODEL.search(footer)) else None,
        footer,
    )
