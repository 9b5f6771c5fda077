"""A plain test client of a running server: requests, and the event stream in a thread."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import requests

_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of the server."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Happened:
    """One event of the stream; `at` is when it was read, on the monotonic clock."""

    type: str
    data: Any
    id: str | None
    at: float


class Client:
    """One device: a base URL and its token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self._headers = {"Authorization": f"Bearer {token}"}

    def get(self, path: str, **query: Any) -> Reply:
        """Send a GET request."""
        return self._send("GET", path, params=query)

    def post(self, path: str, body: Any = None) -> Reply:
        """Send a POST request with JSON."""
        return self._send("POST", path, json={} if body is None else body)

    def patch(self, path: str, body: Any) -> Reply:
        """Send a PATCH request with JSON."""
        return self._send("PATCH", path, json=body)

    def delete(self, path: str) -> Reply:
        """Send a DELETE request."""
        return self._send("DELETE", path)

    def events(self, path: str = "/api/events", after: str | None = None) -> Events:
        """Open the event stream, from now on or after an id."""
        return Events(self.url + path, self._headers, after)

    def _send(self, method: str, path: str, **more: Any) -> Reply:
        url = self.url + path
        answer = requests.request(method, url, headers=self._headers, timeout=_SECONDS, **more)
        kind = answer.headers.get("Content-Type", "")
        return Reply(answer.status_code, answer.json() if "json" in kind else answer.text)


class Events:
    """The events of a stream so far; a thread reads it until `close`."""

    def __init__(self, url: str, headers: dict[str, str], after: str | None = None) -> None:
        self._seen: list[Happened] = []
        self._changed = threading.Condition()
        more = {"Last-Event-ID": after} if after else {}
        self._answer = requests.get(url, headers={**headers, **more}, stream=True, timeout=_SECONDS)
        self._answer.raise_for_status()
        self._thread = threading.Thread(target=self._read, name="clawtap-events", daemon=True)
        self._thread.start()

    @property
    def seen(self) -> list[Happened]:
        """Every event so far."""
        with self._changed:
            return list(self._seen)

    @property
    def open(self) -> bool:
        """Whether the stream is open; a server that ends closes its streams."""
        return self._thread.is_alive()

    def wait(
        self,
        *types: str,
        where: Callable[[Any], bool] = lambda _: True,
        seconds: float = 20.0,
        start: int = 0,
    ) -> Happened:
        """Return the first event of these types that matches, skipping the first `start`."""

        def first() -> Happened | None:
            fits = (e for e in self._seen[start:] if e.type in types and where(e.data))
            return next(fits, None)

        with self._changed:
            event = self._changed.wait_for(first, seconds)
        if event is None:
            came = ", ".join(e.type for e in self.seen[start:]) or "nothing"
            raise AssertionError(f"no {' or '.join(types)} within {seconds:g} s; came: {came}")
        return event

    def close(self) -> None:
        """Stop reading."""
        # Closing alone does not wake the thread that reads.
        with (
            contextlib.suppress(Exception),
            socket.socket(fileno=os.dup(self._answer.raw.fileno())) as connection,
        ):
            connection.shutdown(socket.SHUT_RDWR)
        self._answer.close()
        self._thread.join(5)

    def _read(self) -> None:
        # The connection breaks when it is closed or the server dies, which ends the stream.
        with contextlib.suppress(Exception):
            for event in parse(self._lines()):
                with self._changed:
                    self._seen.append(event)
                    self._changed.notify_all()

    def _lines(self) -> Iterable[str]:
        rest = b""
        while data := self._answer.raw.read1(65536):
            *lines, rest = (rest + data).split(b"\n")
            yield from (line.decode().rstrip("\r") for line in lines)


def parse(lines: Iterable[str]) -> Iterable[Happened]:
    """Yield the events of an SSE stream."""
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" in fields else value
        elif "data" in fields:
            data = json.loads(fields["data"])
            name = fields.get("event", "message")
            yield Happened(name, data, fields.get("id"), time.monotonic())
            fields = {}
        else:
            fields = {}
