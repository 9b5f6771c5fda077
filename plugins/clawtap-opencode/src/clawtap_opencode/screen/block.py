"""The lowest panel of the screen: rows behind one bar, where the CLI asks or the user writes.

A wide pane has a side bar on the same rows: what belongs to a panel ends where the background of
the pane begins again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clawtap_core import Screen, Style
from clawtap_core.screens import panel_end, parsed_once, style_at
from clawtap_opencode.words import WORDS

_BAR = re.compile(r" *┃")
_MENU = "┃"
_MODAL = WORDS.pattern("composer.modal")


@dataclass(frozen=True)
class Panel:
    """Rows behind a bar in `column`, without it; `below` are the rows under it, cut as wide.

    `menu`: the rows of the list above it that completes what is typed.
    """

    screen: Screen
    top: int
    column: int
    width: int
    rows: tuple[str, ...]
    below: tuple[str, ...]
    menu: tuple[str, ...] = ()

    def style(self, row: int, column: int) -> Style | None:
        """Return the style of a character of one of the rows."""
        return style_at(self.screen, self.top + row, self.column + 1 + column)

    @property
    def fills_screen(self) -> bool:
        """Whether it takes all rows of the screen: its end may be out of sight."""
        return self.top <= 1 and self.top + len(self.rows) == self.screen.rows

    @property
    def colour(self) -> str | None:
        """The colour of the bar, which marks what is chosen."""
        style = style_at(self.screen, self.top, self.column)
        return style.fg if style else None


@parsed_once
def lowest_panel(screen: Screen) -> Panel | None:
    """Return the lowest panel, or None on a screen without one."""
    bars = [match.end() - 1 if (match := _BAR.match(line)) else None for line in screen.lines]
    last = next((row for row in range(len(bars) - 1, -1, -1) if bars[row] is not None), None)
    if last is None or (column := bars[last]) is None:
        return None
    top = last
    # A menu over the composer has a bar on its right too.
    while top and bars[top - 1] == column and not _is_menu(screen, top - 1, column):
        top -= 1
    end = max(panel_end(screen, row, column + 1) for row in range(top, last + 1))
    rows = tuple(screen.lines[row][column + 1 : end].rstrip() for row in range(top, last + 1))
    below = tuple(line[:end].rstrip() for line in screen.lines[last + 1 :])
    first = top
    while first and bars[first - 1] == column:
        first -= 1
    above = screen.lines[first:top]
    menu = tuple(line[column + 1 : end].strip(f" {_MENU}") for line in above)
    return Panel(screen, top, column, end - column - 1, rows, below, menu)


def is_covered(panel: Panel) -> bool:
    """Return True if a palette or a list over the conversation takes the keys."""
    screen = panel.screen
    if screen.cursor_visible and screen.cursor:
        return screen.cursor[1] < panel.top
    return any(_is_head(screen, row) for row in range(panel.top))


def _is_head(screen: Screen, row: int) -> bool:
    """Return True if the row is the head of a list, which may have the conversation beside it."""
    if (match := _MODAL.search(screen.lines[row])) is None:
        return False
    head, outside = style_at(screen, row, match.start("key")), style_at(screen, row, 0)
    return head is not None and outside is not None and head.bg != outside.bg


def _is_menu(screen: Screen, row: int, column: int) -> bool:
    end = panel_end(screen, row, column + 1)
    line = screen.lines[row].rstrip()
    # A row of a command may be a bar, too, but not at the right.
    return line.endswith(_MENU) and len(line) >= end > column + 1
