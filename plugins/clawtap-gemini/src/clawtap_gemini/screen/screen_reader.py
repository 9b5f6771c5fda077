"""What the CLI shows with `--screen-reader`: plain lines, without boxes, rules and colours."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_core import Screen
from clawtap_core.screens import Box
from clawtap_gemini.screen.block import Block, ends_with_shell
from clawtap_gemini.words import WORDS

_CALL = WORDS.pattern("screen_reader.call")
_HEADINGS = WORDS.texts("screen_reader.headings")
_FIRST = WORDS.pattern("screen_reader.first")
_CHECKED = "(checked) "
_OPTION = re.compile(r"\d+\. \S.*")
_LAST = "(esc)"


def find_plain_block(screen: Screen) -> Block | None:
    """Return a confirmation at the end of the screen, as a box would show it."""
    lines = [line.rstrip() for line in screen.lines]
    first = next((row for row in range(len(lines))[::-1] if _FIRST.fullmatch(lines[row])), None)
    if first is None or ends_with_shell(lines):
        return None
    # Below the last option stand the mode and warnings, which take no keys.
    after = (row + 1 for row in range(first, len(lines)) if lines[row].endswith(_LAST))
    end = next(after, first)
    if not any(line.startswith(_CHECKED) for line in lines[first:end]):
        return None
    # A command may hold lines that look like the head of another: the highest begins the call,
    # so that nothing of it is left out.
    heads = (row for row in range(first) if _CALL.fullmatch(lines[row]) or lines[row] in _HEADINGS)
    top = next(heads, None)
    start = 0 if top is None else top
    rows = (*_about(lines[start:first]), *_options(lines[first:end]))
    box = Box(start, end - 1, -2, screen.cols, rows, top is not None, start)
    return Block(screen, box, rows, screen.cols)


def _about(lines: Sequence[str]) -> list[str]:
    rows = list(lines)
    for at, line in enumerate(rows):
        if match := _CALL.fullmatch(line):
            rows[at] = f"? {match['call']}"
            break
    return rows


def _options(lines: Sequence[str]) -> list[str]:
    rows = []
    for line in lines:
        if line.startswith(_CHECKED):
            rows.append(f"● {line.removeprefix(_CHECKED)}")
        elif _OPTION.fullmatch(line):
            rows.append(f"  {line}")
        else:
            rows.append(f"     {line}")
    return rows
