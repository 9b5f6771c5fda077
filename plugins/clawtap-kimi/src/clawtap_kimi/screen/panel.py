"""The dialog in place of the composer: rows between two rules, above the footer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core import Screen, Style
from clawtap_core.screens import cells, parsed_once, style_at
from clawtap_kimi.words import WORDS

_FOOTER = WORDS.pattern("panel.footer")
_FOOTER_ROWS = 2
_RULE, _MARGIN = "─", " "


@dataclass(frozen=True)
class Panel:
    """A dialog's rows without the margin; `first` is the screen row of the first one.

    `whole`: its top is in view.
    """

    screen: Screen
    rows: tuple[str, ...]
    first: int
    width: int
    whole: bool

    @property
    def top(self) -> int:
        """The screen row where it begins."""
        return max(self.first - self.whole, 0)

    @property
    def keys(self) -> str:
        """The last row with text, which names its keys."""
        return next((row for row in reversed(self.rows) if row), "")

    def style(self, row: int, column: int) -> Style | None:
        """Return the style of a character."""
        return style_at(self.screen, self.first + row, column + len(_MARGIN))


@parsed_once
def find_panel(screen: Screen) -> Panel | None:
    """Return the dialog at the end of the screen, or None while there is none."""
    lines = screen.lines
    end = end_above_footer(lines)
    bottom = end - 1
    if bottom < 1 or not _is_rule(lines[bottom]):
        return None
    rule, footer = lines[bottom], [line for line in lines[end:] if line]
    # The footer is as wide as the rule; a rule that is painted only in part is not.
    if footer and cells(footer[-1]) != len(rule):
        return None
    top = next((row for row in range(bottom - 1, -1, -1) if _is_rule(lines[row])), None)
    if lines[top] != rule if top is not None else not footer:
        return None
    first = 0 if top is None else top + 1
    rows = tuple(line.removeprefix(_MARGIN) for line in lines[first:bottom])
    return Panel(screen, rows, first, len(rule) - len(_MARGIN), top is not None)


def end_above_footer(lines: Sequence[str]) -> int:
    """Return the row behind the last one above the footer, which not every dialog has."""
    last = next((row for row in range(len(lines) - 1, -1, -1) if lines[row]), -1)
    if last >= _FOOTER_ROWS and _FOOTER.fullmatch(lines[last]):
        return last - _FOOTER_ROWS + 1
    return last + 1


def _is_rule(line: str) -> bool:
    return line.startswith(_MARGIN + _RULE) and len(line) > 10 and not line[1:].strip(_RULE)
