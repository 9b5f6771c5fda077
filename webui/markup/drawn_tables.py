"""Tables that a CLI drew with lines, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TABLE = re.compile(r"(?m)^[ \t]*┌[─┬]+┐[ \t]*\n(?:[ \t]*[│├].*\n)+[ \t]*└[─┴]+┘[ \t]*$")


def tables_as_markdown(text: str) -> str:
    """Write each drawn table of a text as one of Markdown."""
    return _TABLE.sub(lambda match: "\n" + "\n".join(_markdown(match[0])) + "\n", text)


def _markdown(drawn: str) -> Iterator[str]:
    rows = list(_rows(drawn))
    for number, row in enumerate(rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        if number == 0:
            yield "|" + "---|" * len(row)


def _rows(drawn: str) -> Iterator[list[str]]:
    """Yield the cells of each row; what stands between two lines across is one row."""
    cells: list[str] = []
    for line in drawn.splitlines():
        if "│" not in line:
            if cells:
                yield cells
            cells = []
            continue
        parts = [part.strip() for part in line.strip().strip("│").split("│")]
        wrapped = len(parts) == len(cells)
        cells = (
            [f"{a} {b}".strip() for a, b in zip(cells, parts, strict=True)] if wrapped else parts
        )
