"""Code that a CLI drew with line numbers, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Indented, unlike a sentence that begins with a number; without the full stop of a list.
_ROW = re.compile(r"(?P<margin> +(?P<number>\d{1,6}))(?: (?P<code>.*))?")


def code_as_markdown(text: str) -> str:
    """Return the text with each run of numbered rows as a block of code."""
    return "\n".join(_blocks(text.split("\n")))


def _blocks(rows: list[str]) -> Iterator[str]:
    at = 0
    while at < len(rows):
        lines, end = _listing(rows, at)
        if lines:
            longest = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
            fence = "`" * max(3, longest + 1)
            yield "\n".join(("", fence, *lines, fence, ""))
        else:
            yield rows[at]
        at = end


def _listing(rows: list[str], at: int) -> tuple[list[str], int]:
    """Return the lines of code that begin at this row, and the row after them."""
    first = _ROW.fullmatch(rows[at])
    if first is None:
        return [], at + 1
    start = int(first["number"])
    lines: list[str] = []
    end = at
    while end < len(rows):
        match = _ROW.fullmatch(rows[end])
        if match and int(match["number"]) == start + len(lines):
            lines.append(match["code"] or "")
        elif rows[end].strip() and rows[end].startswith(" " * (len(first["margin"]) + 1)):
            lines[-1] += f" {rows[end].strip()}"  # the rest of a line that was wrapped
        else:
            break
        end += 1
    # The CLI may hide the first lines, but one number alone is no line of code.
    return (lines, end) if start == 1 or len(lines) > 1 else ([], at + 1)
