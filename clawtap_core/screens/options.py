"""Lists to choose from: numbered rows, the cursor, check boxes, descriptions, scroll marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from clawtap_core.screens.text import cells, unwrap

CURSORS = "●❯›▸➤>"
_NUMBERED = re.compile(
    rf"(?P<lead> *)(?P<mark>[{CURSORS}]?) *(?P<number>\d{{1,3}})(?P<dot>\.)"
    r"(?:(?P<gap> +)(?:(?P<box>\[[ xX✓✔]\])(?: |$))?(?P<label> *\S.*)?)?"
)
_UNNUMBERED = re.compile(rf"(?P<lead> *)(?P<mark>[{CURSORS}])(?P<gap> +)(?P<label>\S.*)")
_RULE = re.compile(r"[─━╌]+")
_SCROLL = re.compile(r" *[▲▼]")

Colour = Callable[[int, int], Hashable]
"""Given a row and a column, how the character there is coloured; None when nobody knows."""


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option as it is drawn.

    `first` and `last` index the rows it takes, `column` is where its label begins. `checked` is
    None without a check box; `gap` counts the blanks between number and label.
    """

    number: int | None
    label: str
    selected: bool
    checked: bool | None = None
    description: str = ""
    first: int = 0
    last: int = 0
    column: int = 0
    gap: int = 1


def numbered_rows(
    rows: Sequence[str], width: int, colour: Colour | None = None
) -> tuple[OptionRow, ...]:
    """The last run of numbered rows: one column, numbers that follow each other.

    The run ends upwards at number 1, or where something else than a continuation stands. Lists
    in the text above, which count from 1 again, stay out.
    """
    matches = _list(rows)
    if not matches:
        return ()
    end = _end(rows, *matches[-1])
    bounds = [index for index, _ in matches[1:]] + [end]
    return tuple(
        _option(rows, index, match, stop, width, colour)
        for (index, match), stop in zip(matches, bounds, strict=True)
    )


_Run = list[tuple[int, re.Match[str]]]


def _list(rows: Sequence[str]) -> _Run:
    """The run that is the list itself, not one within the text of an option.

    What an option holds is indented deeper than its number: of several runs it is the one with
    the cursor, further up but further left; without a cursor on any, the lowest.
    """
    lowest = run = _run(rows)
    while run:
        if any(match["mark"] for _, match in run):
            return run
        column = run[0][1].start("dot")
        run = _run(rows[: run[0][0]])
        if run and run[0][1].start("dot") >= column:
            break
    return lowest


def _run(rows: Sequence[str]) -> _Run:
    """The lowest run of numbered rows, from the top."""
    found: _Run = []
    for index in range(len(rows) - 1, -1, -1):
        match = _NUMBERED.fullmatch(rows[index])
        if match is None:
            if found and not _may_stand_between(rows[index], found[-1][1]):
                break
        elif found and _gets_longer(match, found[-1][1]):
            found.append((index, match))
        elif not found or match.start("dot") < found[-1][1].start("dot"):
            found = [(index, match)]
        elif match.start("dot") == found[-1][1].start("dot"):
            if int(match["number"]) + 1 != int(found[-1][1]["number"]):
                break
            found.append((index, match))
    return found[::-1]


def _gets_longer(match: re.Match[str], below: re.Match[str]) -> bool:
    """Whether a number and the next one, of more digits, begin in the same column."""
    begins = match.start("number") == below.start("number")
    longer = len(match["number"]) < len(below["number"])
    return begins and longer and int(match["number"]) + 1 == int(below["number"])


def _may_stand_between(row: str, below: re.Match[str]) -> bool:
    """Whether the list may go on above this row; above its number 1 only within an option."""
    if int(below["number"]) == 1:
        return bool(row) and _indent(row) > 1
    return _continues(row, below)


def _continues(row: str, match: re.Match[str]) -> bool:
    """Whether a row may stand between two options: a continuation, a blank or a rule."""
    text = row.lstrip(" ")
    return not text or len(row) - len(text) > match.start("dot") or bool(_RULE.fullmatch(text))


def _end(rows: Sequence[str], index: int, match: re.Match[str]) -> int:
    """The row after the last option and its continuation."""
    for row in range(index + 1, len(rows)):
        text = rows[row].lstrip(" ")
        if not text or len(rows[row]) - len(text) <= match.start("dot"):
            return row
    return len(rows)


def _option(
    rows: Sequence[str],
    index: int,
    match: re.Match[str],
    stop: int,
    width: int,
    colour: Colour | None,
) -> OptionRow:
    label = match["label"] or ""
    column = match.start("label") + len(label) - len(label.lstrip()) if label else match.end()
    below = [row for row in range(index + 1, stop) if rows[row].strip(" ─━╌")]
    cut = _label_end(rows, index, below, column, width, colour)
    lines = [label.strip()] + [rows[row].strip() for row in below[:cut]]
    details = [rows[row].strip() for row in below[cut:]]
    return OptionRow(
        number=int(match["number"]),
        label=unwrap(lines, width - column).replace("\n", " "),
        selected=bool(match["mark"]),
        checked=None if match["box"] is None else match["box"] != "[ ]",
        description=unwrap(details, width - column),
        first=index,
        last=below[-1] if below else index,
        column=column,
        gap=len(match["gap"] or "") + len(label) - len(label.lstrip()),
    )


def _label_end(
    rows: Sequence[str],
    index: int,
    below: Sequence[int],
    column: int,
    width: int,
    colour: Colour | None,
) -> int:
    """How many rows below still belong to the label; the others describe it.

    A row whose first word would have fitted on the row above begins the description. Where that
    leaves it open, colours tell: a description has one of its own.
    """
    above = rows[index]
    for count, row in enumerate(below):
        if cells(above) + 1 + cells(rows[row].split(None, 1)[0]) <= width:
            return count
        if colour and _other_colour(colour, (index, column), (row, _indent(rows[row]))):
            return count
        above = rows[row]
    return len(below)


def _other_colour(colour: Colour, one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, second = colour(*one), colour(*other)
    return first is not None and second is not None and first != second


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip(" "))


def cursor_row(rows: Sequence[str]) -> int | None:
    """The lowest row with a cursor mark before its text."""
    for index in range(len(rows) - 1, -1, -1):
        if _UNNUMBERED.fullmatch(rows[index]):
            return index
    return None


def single_rows(rows: Sequence[str]) -> tuple[OptionRow, ...]:
    """A list without numbers: the rows around the cursor whose text begins where its text does."""
    at = cursor_row(rows)
    match = _UNNUMBERED.fullmatch(rows[at]) if at is not None else None
    if at is None or match is None:
        return ()
    column = match.start("label")
    first, last = at, at
    while first > 0 and _begins(rows[first - 1], column):
        first -= 1
    while last + 1 < len(rows) and _begins(rows[last + 1], column):
        last += 1
    return tuple(
        OptionRow(None, rows[row][column:].strip(), row == at, None, "", row, row, column)
        for row in range(first, last + 1)
    )


def _begins(row: str, column: int) -> bool:
    return not row[:column].strip() and row[column : column + 1] not in ("", " ")


def scrolls(rows: Sequence[str]) -> bool:
    """Whether a list shows marks that it is longer than its window."""
    return any(_SCROLL.fullmatch(row) for row in rows)
