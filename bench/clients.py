"""What an event costs the server for each client that listens, and when the last one has it."""

from __future__ import annotations

import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from bench import cpu
from bench.figure import Figure
from bench.ground import ground, until
from bench.poster import Poster
from clawtap_core.testing.server_process import TOKEN, free_port

_EVENT = b"event: "
_QUESTION = {
    "type": "question",
    "title": "Bench",
    "questions": [
        {"header": "Next", "question": "Which one?", "options": [{"label": "a"}, {"label": "b"}]}
    ],
}


def clients(count: int, events: int) -> Figure:
    """Publish events to many clients, against a server with a queue for each of them."""
    with ground() as place:
        ours, slow = _measure(place.client.url, place.pid, "/api/prompts", count, events)
    with _queue_server() as (url, pid):
        theirs, plain_slow = _measure(url, pid, "/", count, events)
    note = f"p99 {slow:.0f} ms, the other {plain_slow:.0f}; at most 19 µs is the goal"
    what = f"CPU a delivery, {count} clients"
    return Figure("clients", what, ours, theirs, "µs", 0.5, note)


def _measure(url: str, pid: int, path: str, count: int, events: int) -> tuple[float, float]:
    """Return µs of CPU a delivery, and ms until 99 of 100 deliveries have arrived."""
    with ExitStack() as stack:
        readers = selectors.DefaultSelector()
        stack.callback(readers.close)
        for _ in range(count):
            stack.enter_context(_reader(url, readers))
        _receive(readers, 0.5)
        poster = Poster(url, TOKEN)
        stack.callback(poster.close)
        poster.post(path, _QUESTION, status=201)
        _receive(readers, 0.5)
        before, took = cpu.used(pid), []
        for _ in range(events):
            start = time.monotonic()
            poster.post(path, _QUESTION, status=201)
            took += [at - start for at in _receive(readers, 0.3)]
        used = cpu.used(pid) - before
    if len(took) < 0.99 * count * events:
        raise RuntimeError(f"{len(took)} of {count * events} deliveries arrived")
    return 1e6 * used / len(took), 1e3 * sorted(took)[int(0.99 * len(took))]


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
    """Return when each event arrived, until nothing has come for a while."""
    arrived = []
    while ready := readers.select(quiet):
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
