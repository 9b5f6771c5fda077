"""Find the composer at the bottom: the draft between two rules, the footer below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_claude.words import WORDS
from clawtap_core import Screen
from clawtap_core.screens import parsed_once, style_at

INSERT = WORDS.pattern("composer.insert")
RULE = WORDS.pattern("composer.rule")
_INPUT = WORDS.pattern("composer.input")
_SCROLLED = WORDS.pattern("composer.scrolled")
_PLACEHOLDER = WORDS.pattern("composer.placeholder")
_AGENTS = WORDS.pattern("composer.agents")
_SEARCH = WORDS.pattern("composer.search")
_HELP = WORDS.pattern("composer.help")
_MENU = WORDS.pattern("composer.menu")
_BANNER_ROWS = 3
_SHELL = "!"
_MODES = (
    (re.compile(r"\bauto mode on\b"), "auto"),
    (re.compile(r"\baccept edits on\b"), "acceptEdits"),
    (re.compile(r"\bplan mode on\b"), "plan"),
    (re.compile(r"\bbypass permissions on\b"), "bypassPermissions"),
    (re.compile(r"\bmanual mode on\b"), "default"),
    # Older versions show no word for the mode that asks.
    (re.compile(r"^ {2}(?:\? for short|esc to inter)"), "default"),
)


@dataclass(frozen=True, slots=True)
class Composer:
    """What the composer shows.

    `top` and `bottom` are the screen rows of its rules; `hidden` rows of the draft are above them.
    `overlaid`: a menu for the draft lies over the rows above, where the spinner turns.
    """

    top: int
    bottom: int
    draft: str
    mode: str | None
    footer: str
    hidden: int = 0
    overlaid: bool = False

    @property
    def covered(self) -> bool:
        """Whether something takes the first Escape: help, a search, a menu, the shell mode."""
        rows = self.footer.split("\n")
        menu = self.overlaid or (bool(self.draft) and all(map(_MENU.match, rows)))
        opened = _HELP.search(self.footer) or _SEARCH.search(self.footer)
        return menu or self.draft == _SHELL or bool(opened)


@parsed_once
def find_composer(screen: Screen) -> Composer | None:
    """Return the composer, or None while a prompt or the list of sessions is open."""
    # The history draws the user's messages with the same mark, but not between rules.
    lines = screen.lines
    if any(map(_AGENTS.match, lines[:_BANNER_ROWS])):
        return None
    bottom = _rule_above(lines, len(lines))
    top = _rule_above(lines, bottom) if bottom is not None else None
    if bottom is None or top is None or bottom - top < 2:
        return None
    first, scrolled = _INPUT.fullmatch(lines[top + 1]), _SCROLLED.match(lines[top])
    below = lines[top + 2 if first else top + 1 : bottom]
    footer = [line for line in lines[bottom + 1 :] if line]
    if any(line and not line.startswith("  ") for line in (*below, *footer)):
        return None
    if first:
        draft = _draft(screen, top + 1, first, below)
    elif scrolled:
        draft = "\n".join(line[2:] for line in below)
    else:
        return None
    if search := _SEARCH.search("\n".join(footer)):
        draft = search[0].strip()
    modes = (mode for line in footer for pattern, mode in _MODES if pattern.search(line))
    hidden = int(scrolled["rows"]) if scrolled else 0
    overlaid = bool(draft) and _lies_above(lines, top)
    return Composer(top, bottom, draft, next(modes, None), "\n".join(footer), hidden, overlaid)


def _lies_above(lines: Sequence[str], top: int) -> bool:
    row = top - 1
    while row >= 0 and _MENU.match(lines[row]):
        row -= 1
    return row < top - 1 and not (row >= 0 and lines[row])


def _rule_above(lines: Sequence[str], end: int) -> int | None:
    for row in range(end - 1, -1, -1):
        if RULE.fullmatch(lines[row]):
            return row
    return None


def _draft(screen: Screen, row: int, first: re.Match[str], below: Sequence[str]) -> str:
    text = first["text"] or ""
    if first["mark"] == _SHELL:
        return _SHELL + text
    # A hint is drawn dim; without styles, it is known by its words.
    style = style_at(screen, row, 3) if any("\x1b[" in line for line in screen.captured) else None
    if style.dim if style else _PLACEHOLDER.match(text):
        return ""
    return "\n".join([text, *(line[2:] for line in below)])
