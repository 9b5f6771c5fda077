"""What CLIs that are spoken to cost: from the answer to their input, and the memory of many."""

from __future__ import annotations

import statistics
from pathlib import Path

from bench.figure import Figure
from bench.ground import Ground, ground, until
from bench.times import measured

SESSIONS = 50


def middle(rounds: int) -> Figure:
    """An answer is posted: until the CLI has read its line, in the middle of many rounds."""
    took = statistics.median(_answered(rounds))
    note = f"{rounds} answers; against the limit of 10 ms"
    return Figure("spoken", "POST → line on stdin, p50", took, 10.0, "ms", 1, note)


def worst(rounds: int) -> Figure:
    """The same, of the one that took longest but for one in a hundred."""
    took = sorted(_answered(rounds))[round((rounds - 1) * 0.99)]
    note = f"{rounds} answers; against the limit of 500 ms"
    return Figure("worst", "POST → line on stdin, p99", took, 500.0, "ms", 1, note)


def many() -> Figure:
    """The server's memory for each of many sessions that are spoken to, with a prompt each."""
    with ground() as place:
        before = _resident(place)
        for number in range(SESSIONS):
            place.open(str(place.folder / f"{number}.log"), "1", channel="protocol")
        until(lambda: len(place.client.get("/api/pending").body) == SESSIONS)
        more = (_resident(place) - before) / SESSIONS
    note = f"each of {SESSIONS} that ask; against the limit of 2 MB"
    return Figure("many", "a session that is spoken to", more, 2000.0, "kB", 1, note)


def _answered(rounds: int) -> list[float]:
    with ground() as place:
        return measured(place, rounds, channel="protocol")[1]


def _resident(place: Ground) -> float:
    status = Path(f"/proc/{place.pid}/status").read_text(encoding="utf-8")
    return float(status.partition("VmRSS:")[2].split()[0])
