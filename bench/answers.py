"""What an answer costs the server while many sessions are answered at once."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench import cpu
from bench.figure import Figure
from bench.ground import Ground, ground, until
from bench.http_requests import request_cost
from bench.poster import Poster
from clawtap_core.testing.server_process import TOKEN

_SETTLE = 4.0


def answers(sessions: int) -> Figure:
    """Answer a prompt in each of many panes at once, against requests that do nothing."""
    with ground() as place:
        ours, took = _measure(place, sessions)
        theirs = request_cost(place, "/healthz", 20 * sessions)
    note = (
        f"{sessions / max(took):.0f} answers a second, p50 {1e3 * statistics.median(took):.0f} ms;"
        " against GET /healthz"
    )
    what = f"CPU an answer, {sessions} at once"
    return Figure("answers", what, ours, theirs, "ms", 0.05, note)


def _measure(place: Ground, sessions: int) -> tuple[float, list[float]]:
    """Return ms of CPU an answer, and after how many seconds each was delivered."""
    for number in range(sessions):
        place.open("ask", str(place.folder / f"{number}.log"), "1")
    until(lambda: len(place.client.get("/api/pending").body) == sessions)
    time.sleep(_SETTLE)
    prompts: Sequence[Any] = place.client.get("/api/pending").body
    posters = [Poster(place.client.url, TOKEN) for _ in prompts]
    start, before = time.monotonic(), cpu.used(place.pid)

    def answer(poster: Poster, prompt: Any) -> float:
        body = {"requestId": prompt["requestId"]}
        poster.post(f"/api/sessions/{prompt['sessionId']}/approve", body)
        return time.monotonic() - start

    with ThreadPoolExecutor(sessions) as pool:
        took = list(pool.map(answer, posters, prompts))
    used = cpu.used(place.pid) - before
    for poster in posters:
        poster.close()
    return 1e3 * used / sessions, took
