"""What an event costs the server for each client that listens, and when the last one has it."""

from __future__ import annotations

import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from bench import cpu
from bench.figure import Figure
from bench.ground import ground, until
from bench.poster import Poster
from clawtap_core.testing.server_process import TOKEN, free_port

_EVENT = b"event: "
_MOST_QUESTIONS = 40
_QUESTION = {
    "type": "question",
    "title": "Bench",
    "questions": [
        {"header": "Next", "question": "Which one?", "options": [{"label": "a"}, {"label": "b"}]}
    ],
}


def clients(count: int, events: int) -> Figure:
    """Publish events to many clients, against a server with a queue for each of them."""
    ours, slow = on_one_machine(count, events)
    with _queue_server() as (url, pid), _asking(url, "/") as ask:
        theirs, plain_slow = measure([(url, pid)], ask, count, events)
    note = f"p99 {slow:.0f} ms, the other {plain_slow:.0f}; at most 19 µs is the goal"
    what = f"CPU a delivery, {count} clients"
    return Figure("clients", what, ours, theirs, "µs", 0.5, note)


def on_one_machine(count: int, events: int) -> tuple[float, float]:
    """Return what `measure` does, for so many clients of one `clawtap serve`.

    Each event is a question that stays open, and a program may have only so many of them.
    """
    with ground() as place, _asking(place.client.url, "/api/prompts") as ask:
        return measure([(place.client.url, place.pid)], ask, count, min(events, _MOST_QUESTIONS))


def measure(
    servers: Sequence[tuple[str, int]], publish: Callable[[], None], count: int, rounds: int
) -> tuple[float, float]:
    """Return µs of CPU a delivery, and ms until 99 of 100 deliveries have arrived.

    `servers` are addresses and processes; each gets so many clients.
    """
    with ExitStack() as stack:
        readers = selectors.DefaultSelector()
        stack.callback(readers.close)
        for url, _ in servers:
            for _ in range(count):
                stack.enter_context(_reader(url, readers))
        _receive(readers, 2.0)
        publish()
        _receive(readers, 1.0)
        before, took = _used(servers), []
        for _ in range(rounds):
            start = time.monotonic()
            publish()
            took += [at - start for at in _receive(readers, 0.5)]
        used = _used(servers) - before
    if len(took) < 0.99 * (expected := rounds * count * len(servers)):
        raise RuntimeError(f"{len(took)} of {expected} deliveries arrived")
    return 1e6 * used / len(took), 1e3 * sorted(took)[int(0.99 * len(took))]


def _used(servers: Sequence[tuple[str, int]]) -> float:
    return sum(cpu.used(pid) for _, pid in servers)


@contextmanager
def _asking(url: str, path: str) -> Iterator[Callable[[], None]]:
    poster = Poster(url, TOKEN)
    try:
        yield lambda: poster.post(path, _QUESTION, status=201)
    finally:
        poster.close()


@contextmanager
def _reader(url: str, readers: selectors.BaseSelector) -> Iterator[None]:
    host, port = urlsplit(url).hostname, urlsplit(url).port
    with socket.create_connection((host or "", port or 0)) as connection:
        request = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n\r\n"
        connection.sendall(request.format(TOKEN).encode())
        connection.setblocking(False)
        readers.register(connection, selectors.EVENT_READ)
        yield


def _receive(readers: selectors.BaseSelector, quiet: float) -> list[float]:
    """Return when each event arrived, until nothing has come for a while, or for a minute."""
    arrived, end = [], time.monotonic() + 60
    while (ready := readers.select(quiet)) and time.monotonic() < end:
        for key, _ in ready:
            events = key.fileobj.recv(1 << 16).count(_EVENT)  # type: ignore[union-attr]
            arrived += [time.monotonic()] * events
    return arrived


@contextmanager
def _queue_server() -> Iterator[tuple[str, int]]:
    port = free_port()
    process = subprocess.Popen((sys.executable, "-m", "bench.queue_server", str(port)))
    try:
        until(lambda: _listens(port))
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
