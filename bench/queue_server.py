"""What `clients` is measured against: gevent's server with a queue and a json.dumps a client."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from gevent import pywsgi
from gevent.queue import Queue

READERS: list[Queue[Any]] = []


def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Stream events on GET; publish the body of a POST to every reader."""
    if environ["REQUEST_METHOD"] == "GET":
        start_response("200 OK", [("Content-Type", "text/event-stream")])
        return _stream()
    event = json.loads(environ["wsgi.input"].read())
    for reader in READERS:
        reader.put(event)
    start_response("201 Created", [("Content-Length", "2")])
    return [b"{}"]


def _stream() -> Iterator[bytes]:
    events: Queue[Any] = Queue()
    READERS.append(events)
    yield b"retry: 1000\n\n"
    while True:
        yield f"event: question_prompt\ndata: {json.dumps(events.get())}\n\n".encode()


if __name__ == "__main__":
    pywsgi.WSGIServer(("127.0.0.1", int(sys.argv[1])), app, log=None).serve_forever()
