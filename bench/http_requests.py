"""What the first page and the list of open prompts cost, against a request that does nothing."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

from bench import cpu
from bench.figure import Figure
from bench.ground import Ground, ground, until
from clawtap_core.testing.server_process import TOKEN

_WARM = 5


def home(rounds: int) -> Figure:
    """CPU of `GET /` while eight prompts wait."""
    return _figure("home", "/", 8, rounds, 0.05)


def pending(rounds: int) -> Figure:
    """CPU of `GET /api/pending` while fifty prompts wait."""
    return _figure("pending", "/api/pending", 50, rounds, 0.1)


def _figure(name: str, path: str, prompts: int, rounds: int, target: float) -> Figure:
    with ground() as place:
        for number in range(prompts):
            place.open(str(place.folder / f"{number}.log"), "1", channel="protocol")
        until(lambda: len(place.client.get("/api/pending").body) == prompts)
        ours = request_cost(place, path, rounds)
        theirs = request_cost(place, "/healthz", rounds)
    note = f"{rounds} requests, CPU each; against GET /healthz"
    what = f"GET {path}, {prompts} prompts"
    return Figure(name, what, ours, theirs, "ms", target, note)


def request_cost(place: Ground, path: str, rounds: int) -> float:
    """Return ms of CPU for a request on a connection that stays open."""
    connection = http.client.HTTPConnection(urlsplit(place.client.url).netloc)
    before = 0.0
    for number in range(_WARM + rounds):
        if number == _WARM:
            before = cpu.used(place.pid)
        connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        reply = connection.getresponse()
        reply.read()
        if reply.status != http.client.OK:
            raise RuntimeError(f"GET {path}: {reply.status}")
    connection.close()
    return 1e3 * (cpu.used(place.pid) - before) / rounds
