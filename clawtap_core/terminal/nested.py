"""A pane whose program is tmux or GNU screen: its status line is no row of the CLI inside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from clawtap_core.model import Screen
from clawtap_core.screens.text import cells
from clawtap_core.system.processes import command_line

_MULTIPLEXERS = ("tmux", "screen")


def runs_multiplexer(pid: int) -> bool:
    """Return True if this process shows the panes of a terminal multiplexer."""
    words = command_line(pid)
    # It may have given itself a title, such as "tmux: client (/tmp/tmux-1000/default)".
    return bool(words) and PurePath(words[0].partition(":")[0]).name in _MULTIPLEXERS


def without_status_line(screen: Screen) -> Screen:
    """Return the screen with its last or first row empty, if that is drawn as a status line is."""
    for row in (len(screen.captured) - 1, 0):
        if _is_coloured(screen, row):
            captured = (*screen.captured[:row], "", *screen.captured[row + 1 :])
            return replace(screen, captured=captured)
    return screen


def _is_coloured(screen: Screen, row: int) -> bool:
    """Return True if the row has a background of its own from edge to edge."""
    spans = [span for span in screen.spans(row) if span.text]
    reaches = sum(cells(span.text) for span in spans) >= screen.cols
    return reaches and all(span.style.bg is not None or span.style.inverse for span in spans)
