"""How long it takes from the paint to the event, and from the answer to the key."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from bench.figure import Figure
from bench.ground import LIBTMUX, Bare, Ground, bare, ground, poller, until
from bench.poster import Poster
from clawtap_core.testing.server_process import TOKEN


def seen(rounds: int) -> Figure:
    """A prompt is painted: until an SSE client has it, against a poller that finds it."""
    with ground() as place:
        ours = measured(place, rounds)[0]
    with bare() as panes:
        theirs = _polled(panes, rounds)
    return Figure(
        "seen",
        "prompt painted → known",
        _median(ours),
        _median(theirs),
        "ms",
        30,
        "event at an SSE client, against a bare poller's capture",
    )


def answered(rounds: int) -> Figure:
    """An answer is posted: until the program in the pane reads the key."""
    with ground() as place:
        ours = measured(place, rounds)[1]
    with ground(LIBTMUX) as place:
        theirs = measured(place, rounds)[1]
    return Figure(
        "answered",
        "POST → key read",
        _median(ours),
        _median(theirs),
        "ms",
        10,
        "the same server, the pane read and typed into through libtmux",
    )


def measured(
    place: Ground, rounds: int, channel: str = "terminal"
) -> tuple[list[float], list[float]]:
    """Milliseconds from the question to the event, and from the POST to what the CLI read."""
    log = place.folder / "painter.log"
    events = place.client.events()
    asking = ("ask",) if channel == "terminal" else ()
    place.open(*asking, str(log), str(rounds), channel=channel)
    poster = Poster(place.client.url, TOKEN)
    reported, posted = [], []
    met: set[str] = set()
    for _ in range(rounds):
        event = events.wait(
            "approval_required", where=lambda data: data["requestId"] not in met, seconds=30
        )
        reported.append(event.at)
        met.add(event.data["requestId"])
        posted.append(time.monotonic())
        body = {"requestId": event.data["requestId"]}
        poster.post(f"/api/sessions/{place.sessions[0]}/approve", body)
    poster.close()
    events.close()
    until(lambda: len(painter_times(log)) == rounds)
    times = painter_times(log)
    return (
        [1e3 * (at - painted) for at, (painted, _) in zip(reported, times, strict=True)],
        [1e3 * (read - at) for at, (_, read) in zip(posted, times, strict=True)],
    )


def _polled(place: Bare, rounds: int) -> list[float]:
    """Milliseconds from the paint to the poller's capture of it."""
    log, found = place.folder / "painter.log", place.folder / "poller.log"
    place.open("ask", str(log), str(rounds))
    with poller(place, str(found)):
        until(lambda: len(painter_times(log)) == rounds, 60 + 2.0 * rounds)
    noticed = [int(line) / 1e9 for line in found.read_text().splitlines()]
    return [
        1e3 * (at - painted) for at, (painted, _) in zip(noticed, painter_times(log), strict=True)
    ]


def painter_times(log: Path) -> list[tuple[float, float]]:
    lines = log.read_text().splitlines() if log.exists() else []
    return [(int(a) / 1e9, int(b) / 1e9) for _, a, b in (line.split() for line in lines)]


def _median(values: list[float]) -> float:
    return statistics.median(values)
