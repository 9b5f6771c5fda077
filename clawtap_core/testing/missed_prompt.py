"""Say why an adapter reads no prompt on a screen."""

from __future__ import annotations

import ast
import linecache
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import Any

from clawtap_core.host import Adapter
from clawtap_core.model import Screen
from clawtap_core.screens import (
    OptionRow,
    cells,
    lowest_box,
    numbered_rows,
    select_by_style,
    single_rows,
    style_at,
)
from clawtap_core.screens.options import CURSORS
from clawtap_core.testing.explanation import without_words

_NOT_THE_ADAPTER = sys.stdlib_module_names | {"clawtap_core", "pluggy"}
_PLACES = 3
_SIDES = 4  # the cells of a box that its text does not take
_WIDTHS = (80, 100, 120, 160, 200)


def why_no_prompt(adapter: Adapter, screen: Screen) -> list[str]:
    """Return the reasons as sentences, the most likely first."""
    if not adapter.has("detect_prompt"):
        return ["the adapter has no hook detect_prompt"]
    if not screen.text:
        return ["the screen is empty"]
    reasons = list(_small_changes(adapter, screen))
    # Where the CLI is at work or waits for a message, no row has to look like an option.
    if not adapter.detect_state(screen, None):
        reasons += _look_of_the_screen(screen)
    return [*reasons, *_places(adapter, screen)]


def _small_changes(adapter: Adapter, screen: Screen) -> Iterator[str]:
    """Find a small change after which a prompt would be read."""
    last = screen.text.count("\n")
    for row in range(last, 0, -1):
        if adapter.detect_prompt(replace(screen, captured=screen.captured[:row])):
            yield (
                f"without row {row + 1} and what is below, it would be a prompt:"
                " something stands where the adapter expects the prompt to end"
            )
            break
    for row in range(last):
        if screen.lines[row] and adapter.detect_prompt(without_words(screen, row)):
            yield f"without row {row + 1} it would be a prompt"
            break
    widest = max(cells(line) for line in screen.lines)
    for cols in _WIDTHS:
        if widest <= cols != screen.cols and adapter.detect_prompt(replace(screen, cols=cols)):
            yield f"in a pane of {cols} columns it would be a prompt: this one has {screen.cols}"
            break


def _look_of_the_screen(screen: Screen) -> Iterator[str]:
    """Say what the screen looks like to readers that know no CLI."""
    rows = option_rows(screen)
    if not rows:
        marks = " ".join(CURSORS)
        yield (
            f"no row looks like an option: there is neither a numbered list nor a mark such as"
            f" {marks}; another one is the `mark` of single_rows and numbered_rows"
        )
    elif len(rows) > 1 or rows[0].selected:
        cursor = next((row.first + 1 for row in rows if row.selected), None)
        which = f"the cursor is on row {cursor}" if cursor else _without_mark(screen, rows)
        yield f"rows {rows[0].first + 1} to {rows[-1].last + 1} look like options; {which}"
        if not any("\x1b" in line for line in screen.captured):
            yield "the capture has no colors or styles: if the adapter reads them, capture with -e"


def option_rows(screen: Screen) -> tuple[OptionRow, ...]:
    """Return the rows that look like options to readers that know no CLI."""
    if rows := numbered_rows(screen.lines, screen.cols):
        return rows
    box = lowest_box(screen.lines)
    boxed = numbered_rows(box.rows, box.width - _SIDES) or single_rows(box.rows) if box else ()
    # One row with a mark may be the composer.
    return box.on_screen(boxed) if box and len(boxed) > 1 else single_rows(screen.lines)


def _without_mark(screen: Screen, rows: Sequence[OptionRow]) -> str:
    """Say how the row with the cursor may be found without a mark before it."""
    none = "none of them has a cursor mark"
    if styled := next((row for row in select_by_style(screen, rows) if row.selected), None):
        return f"{none}, but row {styled.first + 1} has a style of its own: use select_by_style"
    if len({style_at(screen, row.first, row.column) for row in rows}) > 1:
        return f"{none}, but their styles differ: use select_by_style with `chosen`"
    return none


def _places(adapter: Adapter, screen: Screen) -> Iterator[str]:
    """Find the lines of the adapter that returned nothing, the last ones first."""
    nothing: list[tuple[str, str, int]] = []

    def follow(frame: FrameType, event: str, argument: Any) -> Any:
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module in _NOT_THE_ADAPTER or frame.f_code.co_flags & CO_GENERATOR:
            return None
        if event == "return" and argument is None and frame.f_code.co_name[0] not in "<_":
            nothing.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
        return follow

    tracer = threading.gettrace()
    # The host calls each hook in a thread of its own. A copy, since a screen keeps what was read.
    threading.settrace(follow)
    try:
        adapter.detect_prompt(replace(screen))
    finally:
        threading.settrace(tracer)
    for function, file, line in reversed(nothing[-_PLACES:]):
        code = _statement("".join(linecache.getlines(file)), line)
        yield f"{function} returned None in {Path(file).name}, line {line}: {code}"


def _statement(source: str, line: int) -> str:
    """Return the whole statement at a line of Python, with the condition of a plain `return`."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    around = [node for node in statements if node.lineno <= line <= (node.end_lineno or 0)]
    if not around:
        return ""
    at = max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0)))
    code = _one_line(source, at)
    asked = next((node for node in around if isinstance(node, ast.If) and at in node.body), None)
    returns_nothing = code in ("return", "return None")
    return f"if {_one_line(source, asked.test)}: {code}" if asked and returns_nothing else code


def _one_line(source: str, node: ast.AST) -> str:
    lines = (ast.get_source_segment(source, node) or "").splitlines()
    return " ".join(part.strip() for part in lines)
