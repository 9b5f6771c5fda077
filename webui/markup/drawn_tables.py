"""Tables that a CLI drew with lines, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TABLE = re.compile(r"(?m)^[ \t]*┌[─┬]+┐[ \t]*\n(?:[ \t]*[│├].*\n)+[ \t]*└[─┴]+┘[ \t]*$")
# A row of names, heavy lines below it, and rows between light lines. It can match a line in one
# way only: with two ways, a line of a megabyte takes minutes.
_RULED = re.compile(r"(?m)^[^\S\n]*\S.*\n *━+(?:  +━+)+ *\n(?:[^\S\n]*\S.*(?:\n|\Z))+")


def tables_as_markdown(text: str) -> str:
    """Return the text with each drawn table as a Markdown table."""
    text = _TABLE.sub(lambda match: _markdown(_boxed_rows(match[0])), text)
    return _RULED.sub(lambda match: _markdown(_ruled_rows(match[0])), text)


def _markdown(rows: Iterator[list[str]]) -> str:
    return "\n" + "\n".join(_lines(rows)) + "\n"


def _lines(rows: Iterator[list[str]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        if number == 0:
            yield "|" + "---|" * len(row)


def _boxed_rows(drawn: str) -> Iterator[list[str]]:
    """Yield the cells of each row, which may span several lines."""
    lines = drawn.splitlines()
    # Without a line between rows, a row that continues has an empty first cell.
    each_ruled = sum("├" in line for line in lines) > 1
    cells: list[str] = []
    for line in lines:
        parts = [part.strip() for part in line.strip()[1:-1].split("│")]
        ruled = "─" in line and "│" not in line
        if cells and (ruled or not (each_ruled or not parts[0] or len(parts) != len(cells))):
            yield cells
            cells = []
        if not ruled:
            cells = (
                [f"{a} {b}".strip() for a, b in zip(cells, parts, strict=True)]
                if len(cells) == len(parts)
                else parts
            )


def _ruled_rows(drawn: str) -> Iterator[list[str]]:
    """Yield the cells of each row; columns begin where the heavy lines do."""
    names, rules, *lines = drawn.splitlines()
    starts = [match.start() for match in re.finditer("━+", rules)]
    ends = [*starts[1:], None]
    cells = [""] * len(starts)
    for line in (names, rules, *lines, rules):
        if re.fullmatch("[ ─━]+", line):
            if any(cells):
                yield cells
            cells = [""] * len(starts)
            continue
        parts = (line[start:end] for start, end in zip(starts, ends, strict=True))
        cells = [f"{a} {b.strip()}".strip() for a, b in zip(cells, parts, strict=True)]
