"""What watching costs: the CPU of the server, against the CPU of a poller.

Counted are the processes that watch, with their children (for ClawTap its control clients, for
libtmux the tmux commands it runs), not the tmux server itself.
"""

from __future__ import annotations

import time

from bench import cpu
from bench.figure import Figure
from bench.ground import Bare, bare, ground, poller

NOTE = "CPU of the watching process and its children, not of the tmux server"
# A session that has just started looks for its transcript for ten seconds.
_SETTLE = 12.0


def idle(panes: int, seconds: float) -> Figure:
    """Panes in which nothing happens."""
    ours, theirs = _compare(panes, seconds)
    return Figure("idle", f"{panes} idle panes", ours, theirs, "% of a core", 100, NOTE)


def spinning(panes: int, seconds: float) -> Figure:
    """Panes that draw a spinner 10 times a second."""
    ours, theirs = _compare(panes, seconds, "spin")
    return Figure("spinning", f"{panes} panes with spinners", ours, theirs, "% of a core", 4, NOTE)


def _compare(panes: int, seconds: float, *arguments: str) -> tuple[float, float]:
    with ground() as place:
        _fill(place, panes, arguments)
        ours = cpu.share(place.pid, seconds)
    with bare() as place:
        _fill(place, panes, arguments)
        with poller(place) as pid:
            time.sleep(_SETTLE)
            theirs = cpu.share(pid, seconds)
    return ours, theirs


def _fill(place: Bare, panes: int, arguments: tuple[str, ...]) -> None:
    for _ in range(panes):
        place.open(*arguments)
    # What starting costs is not part of the figure.
    time.sleep(_SETTLE)
