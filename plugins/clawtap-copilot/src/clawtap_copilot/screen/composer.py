"""The composer: the draft between two rules or beside a bar, and the footer below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_copilot.words import WORDS
from clawtap_core import Screen
from clawtap_core.screens import parsed_once, unwrap

_DRAFT = WORDS.pattern("composer.draft")
_MODE = WORDS.pattern("composer.mode")
_KEYS = WORDS.pattern("composer.footer_keys")
_CLOSED = WORDS.pattern("composer.closed")
_IN_SHELL = WORDS.pattern("composer.in_shell")
_SHELL = WORDS.texts("composer.shell")
# Between rules, or beside a bar on a background where 1.0.82 and 1.0.83 have all colours.
_TOP, _BOTTOM = re.compile("─{2,}|╻▄+"), re.compile("─{2,}|╹▀+")
_CORNER, _BAR = "╹", "┃"
_INDENT, _MARGIN = "  ", 4
_HIGHEST_FOOTER = 4


@dataclass(frozen=True)
class Composer:
    """The composer; `top` is its upper edge, `footer` the text below it.

    A draft for the shell begins with the `!` that opened it. `mode` is None while the footer does
    not show it.
    """

    top: int
    draft: str
    footer: str
    mode: str | None


@parsed_once
def find_composer(screen: Screen) -> Composer | None:
    """Return the composer, or None while keys go elsewhere."""
    lines = screen.lines
    last = next((at for at in range(len(lines) - 1, -1, -1) if lines[at]), -1)
    bottom = next((at for at in range(last, -1, -1) if _BOTTOM.fullmatch(lines[at])), last)
    if not 0 < last - bottom <= _HIGHEST_FOOTER or _CLOSED.search(lines[last]):
        return None
    top = bottom - 1
    while top > 0 and not _TOP.fullmatch(lines[top]):
        top -= 1
    footer = " ".join(line.strip() for line in lines[bottom + 1 : last + 1])
    rows: Sequence[str] = lines[top + 1 : bottom] if _TOP.fullmatch(lines[top]) else ()
    if lines[bottom].startswith(_CORNER):
        rows = _without_bar(rows, "!" if _IN_SHELL.search(footer) else "❯")
    first = _DRAFT.fullmatch(rows[0]) if rows else None
    if first is None:
        return None
    texts = [first["text"] or "", *(row.removeprefix(_INDENT) for row in rows[1:])]
    draft = unwrap(texts, len(lines[bottom]) - _MARGIN)
    if first["mark"] == "!":
        draft = "!" if draft in _SHELL else f"!{draft}"
    return Composer(top, draft, footer, _mode(footer))


def _without_bar(rows: Sequence[str], mark: str) -> Sequence[str]:
    """Return the rows as they are between rules: the bar takes the place of the mark."""
    if not all(row.startswith(_BAR) for row in rows):
        return ()
    return [(" " if at else mark) + row.removeprefix(_BAR) for at, row in enumerate(rows)]


def _mode(footer: str) -> str | None:
    if match := _MODE.search(footer):
        return match["mode"].lower()
    # Older versions name only the modes that differ from the usual one.
    return "interactive" if _KEYS.search(footer) else None
