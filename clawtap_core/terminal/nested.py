"""A pane that shows another terminal: a multiplexer's status line there is no row of the CLI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from clawtap_core.model import Screen, Span
from clawtap_core.screens.text import cells
from clawtap_core.system.processes import command_line

_MULTIPLEXERS = ("tmux", "screen")
# These show a terminal of another machine or container, in which a multiplexer may run.
_REMOTE = ("ssh", "autossh", "mosh-client", "docker", "podman", "kubectl")


def shows_terminal(pid: int) -> bool:
    """Return True if this process may show the panes of a terminal multiplexer."""
    words = command_line(pid)
    # It may have given itself a title, such as "tmux: client (/tmp/tmux-1000/default)".
    name = PurePath(words[0].partition(":")[0]).name if words else ""
    return name in (*_MULTIPLEXERS, *_REMOTE)


def without_status_line(screen: Screen) -> Screen:
    """Return the screen with its last or first row empty, if that is drawn as a status line is."""
    last = len(screen.captured) - 1
    for row, neighbour in ((last, last - 1), (0, 1)):
        if last > 0 and _stands_out(screen, row, neighbour):
            captured = (*screen.captured[:row], "", *screen.captured[row + 1 :])
            return replace(screen, captured=captured)
    return screen


def _stands_out(screen: Screen, row: int, neighbour: int) -> bool:
    """Return True if the row is coloured from edge to edge, and not like the one next to it."""
    spans = [span for span in screen.spans(row) if span.text]
    reaches = sum(cells(span.text) for span in spans) >= screen.cols
    colours = {_background(span) for span in spans}
    next_to_it = {_background(span) for span in screen.spans(neighbour) if span.text}
    return reaches and None not in colours and colours.isdisjoint(next_to_it)


def _background(span: Span) -> str | None:
    return "inverse" if span.style.inverse else span.style.bg
