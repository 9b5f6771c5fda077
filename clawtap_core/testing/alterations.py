"""Change the rows of a screen as no CLI would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_core.model import Screen

KINDS = ("cut", "blank", "remove", "blank_all", "remove_all", "double", "swap", "overwrite")
CELLS = "╭╮╰╯│─●○◉□☐☑✓✦◇❯›>?*-[]()1234567890. ▲▼⠋\x1b[1m\x1b[0m\t\x00aZé漢\u200b👍"


@dataclass(frozen=True, slots=True)
class Alteration:
    """One change, of one of the `KINDS`; numbers beyond the screen wrap around.

    `place` is a column, another row, or a number of rows; `cells` are written by "overwrite".
    """

    kind: str
    row: int
    place: int
    cells: str


def altered(screen: Screen, alterations: Sequence[Alteration]) -> Screen:
    """Return the plain screen with these changes."""
    rows = list(screen.lines)
    # The blank rows at the end were not painted.
    painted = max((at for at, row in enumerate(rows) if row), default=0) + 1
    for each in alterations:
        if rows:
            _alter(rows, each, each.row % min(painted, len(rows)))
    return replace(screen, captured=tuple(rows) or ("",))


def _alter(rows: list[str], change: Alteration, at: int) -> None:
    kind, place, cells = change.kind, change.place, change.cells
    row, other = rows[at], place % len(rows)
    column = place % (len(row) + 1)
    if kind == "cut":
        rows[at] = row[:column]
    elif kind == "blank":
        rows[at] = ""
    elif kind == "remove":
        del rows[at]
    elif kind == "remove_all":
        del rows[at : at + 1 + place % 12]
    elif kind == "blank_all":
        rows[at : at + 1 + place % 12] = [""] * len(rows[at : at + 1 + place % 12])
    elif kind == "double":
        rows.insert(at, row)
    elif kind == "swap":
        rows[at], rows[other] = rows[other], row
    elif kind == "overwrite":
        rows[at] = row[:column] + cells + row[column + len(cells) :]
