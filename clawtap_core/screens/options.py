"""Lists of options: numbered rows, the cursor, check boxes, descriptions, scroll marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from clawtap_core.screens.text import cells, next_word_fits, unwrap

CURSORS = "●❯›▸▶➤>"
_USUAL_GAP = 2
_NUMBERED = re.compile(
    rf"(?P<lead> *)(?P<mark>[{CURSORS}]?) *(?:(?P<before>\[[ xX✓✔]\]) )?"
    r"(?P<number>\d{1,3})(?P<dot>\.)"
    r"(?:(?P<gap> +)(?:(?P<box>\[[ xX✓✔]\])(?: |$))?(?P<label> *\S.*)?)?"
)
_UNNUMBERED = re.compile(rf"(?P<lead> *)(?P<mark>[{CURSORS}])(?P<gap> +)(?P<label>\S.*)")
_RULE = re.compile(r"[─━╌]+")
_SCROLL = re.compile(r" *[▲▼]")

# Return the colour of the character at (row, column), or None if unknown.
Colour = Callable[[int, int], Hashable]


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option as it is drawn.

    It takes the rows `first` to `last`, and its label begins at `column`. `checked` is None
    without a check box; `gap` counts the blanks between number and label.
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
    rows: Sequence[str],
    width: int,
    colour: Colour | None = None,
    mark: str = "",
    *,
    boxed: bool | None = None,
) -> tuple[OptionRow, ...]:
    """Return the lowest list of consecutively numbered rows in one column.

    It ends upwards at number 1, or at a row that continues no option. Lists in the text above,
    which count from 1 again, are left out. `width`: the cells that `rows` may take, `screen.cols`
    where they are those of the screen. `colour` tells a label from its description below. `mark`
    is the CLI's cursor mark, unless it is one of ● ❯ › ▸ ▶ ➤ >. `boxed`: whether the rows have
    check boxes; if None, the first row decides, though its label may only begin like one.
    """
    rows = _with_known_mark(rows, mark)
    matches = _list(rows)
    if not matches:
        return ()
    end = _end(rows, *matches[-1])
    bounds = [index for index, _ in matches[1:]] + [end]
    # What looks like a check box in a later row only is a text that begins so.
    if boxed is None:
        boxed = _box(matches[0][1]) is not None
    return tuple(
        _option(rows, index, match, stop, width, colour, boxed=boxed)
        for (index, match), stop in zip(matches, bounds, strict=True)
    )


_Run = list[tuple[int, re.Match[str]]]


def _list(rows: Sequence[str]) -> _Run:
    """Return the run that is the list itself, not one within an option's text.

    An option's text is indented deeper than its number: of several runs the list is the one with
    the cursor, further up but further left, or the lowest if none has the cursor.
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
    run: _Run = []
    for index in range(len(rows) - 1, -1, -1):
        match = _NUMBERED.fullmatch(rows[index])
        if match is None:
            if run and not _may_stand_between(rows[index], run[-1][1]):
                break
        elif run and _gets_longer(match, run[-1][1]):
            run.append((index, match))
        # A number further left: the rows below were the text of this option, not the list.
        elif not run or match.start("dot") < run[-1][1].start("dot"):
            run = [(index, match)]
        elif match.start("dot") == run[-1][1].start("dot"):
            if int(match["number"]) + 1 != int(run[-1][1]["number"]):
                break
            run.append((index, match))
    return run[::-1]


def _box(match: re.Match[str]) -> str | None:
    return match["box"] or match["before"]


def _gets_longer(match: re.Match[str], below: re.Match[str]) -> bool:
    """Return True if the next number has more digits and begins in the same column."""
    begins = match.start("number") == below.start("number")
    longer = len(match["number"]) < len(below["number"])
    return begins and longer and int(match["number"]) + 1 == int(below["number"])


def _may_stand_between(row: str, below: re.Match[str]) -> bool:
    """Return True if the list may continue above this row; above number 1 only inside an option."""
    if int(below["number"]) == 1:
        return bool(row) and _indent(row) > 1
    # A blank, a continuation or a rule may be between options.
    text = row.lstrip(" ")
    return not text or _indent(row) > below.start("dot") or bool(_RULE.fullmatch(text))


def _end(rows: Sequence[str], index: int, match: re.Match[str]) -> int:
    for row in range(index + 1, len(rows)):
        if not rows[row].strip(" ") or _indent(rows[row]) <= match.start("dot"):
            return row
    return len(rows)


def _option(
    rows: Sequence[str],
    index: int,
    match: re.Match[str],
    stop: int,
    width: int,
    colour: Colour | None,
    *,
    boxed: bool,
) -> OptionRow:
    first = index
    starts = match.start("label") if boxed or not match["box"] else match.start("box")
    label = match.string[starts:] if starts >= 0 else ""
    column = starts + len(label) - len(label.lstrip()) if label else match.end()
    below = [row for row in range(index + 1, stop) if rows[row].strip(" ─━╌")]
    if not label and below and _had_no_room(rows[below[0]], match, width):
        index = below.pop(0)
        label, column = rows[index].strip(), _indent(rows[index])
    cut = _label_end(rows, index, below, column, width, colour)
    lines = [label.strip()] + [rows[row].strip() for row in below[:cut]]
    details = [rows[row].strip() for row in below[cut:]]
    tick = _box(match) if boxed else None
    return OptionRow(
        number=int(match["number"]),
        label=unwrap(lines, width - column).replace("\n", " "),
        selected=bool(match["mark"]),
        checked=None if tick is None else tick != "[ ]",
        description=unwrap(details, width - column),
        first=first,
        last=below[-1] if below else index,
        column=column,
        gap=len(match["gap"] or "") + len(label) - len(label.lstrip()),
    )


def _had_no_room(row: str, match: re.Match[str], width: int) -> bool:
    """Return True if the first word of a row was too long for the row of its number.

    A longer word than a row is cut where its own row ends, perhaps before a wide character.
    """
    return match.end() + _USUAL_GAP + cells(row.split()[0]) >= width - 1


def _label_end(
    rows: Sequence[str],
    index: int,
    below: Sequence[int],
    column: int,
    width: int,
    colour: Colour | None,
) -> int:
    """Count the rows below that continue the label; the rest describe it.

    A row whose first word would have fitted on the row above begins the description. Where this
    leaves it open, colours decide: a description has its own.
    """
    above = rows[index]
    for count, row in enumerate(below):
        if next_word_fits(above, rows[row], width):
            return count
        if colour:
            label, text = colour(index, column), colour(row, _indent(rows[row]))
            if label is not None and text is not None and label != text:
                return count
        above = rows[row]
    return len(below)


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip(" "))


def _with_known_mark(rows: Sequence[str], mark: str) -> Sequence[str]:
    """Return the rows with one of our marks, and blanks, in place of the CLI's own."""
    if not mark:
        return rows
    begins = re.compile(f"( *){re.escape(mark)}")
    known = CURSORS[0].ljust(len(mark))
    return [
        begins.sub(lambda match: match[1] + known, row, 1) if begins.match(row) else row
        for row in rows
    ]


def cursor_row(rows: Sequence[str]) -> int | None:
    """Return the lowest row with a cursor mark before its text."""
    for index in range(len(rows) - 1, -1, -1):
        if _UNNUMBERED.fullmatch(rows[index]):
            return index
    return None


def single_rows(rows: Sequence[str], mark: str = "") -> tuple[OptionRow, ...]:
    """Return a list without numbers: rows aligned with the text at the cursor.

    `mark` is the CLI's cursor mark, if it is none of ● ❯ › ▸ ▶ ➤ >.
    """
    rows = _with_known_mark(rows, mark)
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
    """Return True if a list shows marks that it is longer than its window."""
    return any(_SCROLL.fullmatch(row) for row in rows)
