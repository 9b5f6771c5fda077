"""The composer: the draft between two rules, and the footer below them."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_copilot.words import WORDS
from clawtap_core import Screen
from clawtap_core.screens import parsed_once, unwrap

_DRAFT = WORDS.pattern("composer.draft")
_MODE = WORDS.pattern("composer.mode")
_KEYS = WORDS.pattern("composer.footer_keys")
_CLOSED = WORDS.pattern("composer.closed")
_SHELL = WORDS.texts("composer.shell")
_RULE = "─"
_INDENT, _MARGIN = "  ", 4
_HIGHEST_FOOTER = 4


@dataclass(frozen=True)
class Composer:
    """The composer; `top` is its upper rule, `footer` the text below it.

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
    bottom = next((at for at in range(last, -1, -1) if _is_rule(lines[at])), last)
    if not 0 < last - bottom <= _HIGHEST_FOOTER or _CLOSED.search(lines[last]):
        return None
    top = bottom - 1
    while top > 0 and not _is_rule(lines[top]):
        top -= 1
    first = _DRAFT.fullmatch(lines[top + 1]) if _is_rule(lines[top]) else None
    if first is None:
        return None
    rows = [first["text"] or "", *(line.removeprefix(_INDENT) for line in lines[top + 2 : bottom])]
    draft = unwrap(rows, len(lines[bottom]) - _MARGIN)
    if first["mark"] == "!":
        draft = "!" if draft in _SHELL else f"!{draft}"
    footer = " ".join(line.strip() for line in lines[bottom + 1 : last + 1])
    return Composer(top, draft, footer, _mode(footer))


def _is_rule(line: str) -> bool:
    return len(line) > 1 and not line.strip(_RULE)


def _mode(footer: str) -> str | None:
    if match := _MODE.search(footer):
        return match["mode"].lower()
    # Older versions name only the modes that differ from the usual one.
    return "interactive" if _KEYS.search(footer) else None
