"""What every scripted model is: a web server on loopback that follows a script and logs all."""

from __future__ import annotations

import json
import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from clawtap_core.testing.scripted.request_log import RequestLog
from clawtap_core.testing.scripted.script import Script

_HOLD = 120.0
Log = TypeVar("Log", bound=RequestLog)
Self = TypeVar("Self", bound="ScriptedModel[Any]")


class ScriptedModel(Generic[Log]):
    """A model that says what its script says."""

    handler: ClassVar[type[Handler]]
    log_of: ClassVar[Callable[[Path | None], Any]]

    def __init__(self, *turns: str | Mapping[str, Any], log: Path | None = None) -> None:
        self.script = Script(turns)
        self.log: Log = type(self).log_of(log)
        self._go = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name=type(self).__name__,
        )

    @property
    def url(self) -> str:
        """The base URL for the CLI."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self: Self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def play(self, *turns: str | Mapping[str, Any], repeat_last: bool = False) -> None:
        """Start a new chapter with these turns."""
        self._go.set()
        self._go = threading.Event()
        self.script.replace(turns, repeat_last=repeat_last)
        self.log.begin()

    def release(self) -> None:
        """Let a turn that is held continue."""
        self._go.set()

    def held(self) -> None:
        """Wait for the release."""
        self._go.wait(_HOLD)

    def stop(self) -> None:
        """Stop listening."""
        self._go.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    @classmethod
    def main(cls) -> None:
        """Play a scenario file until interrupted."""
        scenario = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        turns = scenario if isinstance(scenario, list) else scenario["turns"]
        model = cls(*turns, log=Path("requests.jsonl")).start()
        print(model.url, flush=True)
        threading.Event().wait()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel[Any]) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), model.handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A CLI that goes away in the middle is nothing to report."""


class Handler(BaseHTTPRequestHandler):
    """Ground of the handlers: bodies in, JSON and event streams out."""

    protocol_version = "HTTP/1.1"
    server: _Server
    # Headers of every reply that is not a stream.
    always: ClassVar[Mapping[str, str]] = {}

    @property
    def model(self) -> Any:
        """The model that answers."""
        return self.server.model

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the log is the model's own."""

    def end_headers(self) -> None:
        """One request a connection: no thread waits for the next one."""
        self.send_header("Connection", "close")
        super().end_headers()

    def do_HEAD(self) -> None:
        """A CLI asks whether anybody is there."""
        self.json({})

    def do_GET(self) -> None:
        """Something is fetched."""
        self.get()

    def do_POST(self) -> None:
        """Something is asked of the model."""
        size = int(self.headers.get("Content-Length") or 0)
        self.post(json.loads(self.rfile.read(size) or b"{}"))

    @abstractmethod
    def get(self) -> None:
        """Answer what is fetched."""

    @abstractmethod
    def post(self, body: Mapping[str, Any]) -> None:
        """Answer the model's own requests."""

    def send(
        self,
        data: bytes,
        kind: str = "application/json",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """A whole reply."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in {**self.always, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def json(self, value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """A value as a whole reply."""
        self.send(json.dumps(value).encode(), status=status, headers=headers)

    def stream(self, events: Iterable[bytes], headers: Mapping[str, str] | None = None) -> None:
        """A stream of events, each as soon as it is there."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        for data in events:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def named(event: Mapping[str, Any]) -> bytes:
    """An event that says its type, as it is sent."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
