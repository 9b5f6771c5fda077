"""The scripted OpenAI model: speaks the Responses API on loopback, follows a script, logs it all.

By hand: python -m clilab.openai_model scenario.json
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from clilab import openai_wire as wire
from clilab.openai_log import OpenAILog
from clilab.request_log import Request
from clilab.script import Script, Turn

_HOLD = 120.0
TITLE = "Lab session"


class OpenAIModel:
    """A model that says what its script says."""

    def __init__(self, *turns: str | Mapping[str, Any], log: Path | None = None) -> None:
        self.script = Script(turns)
        self.log = OpenAILog(log)
        self._go = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="openai-model"
        )

    @property
    def url(self) -> str:
        """The base URL for the CLI."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> OpenAIModel:
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
        """Let a turn that holds go on."""
        self._go.set()

    def held(self) -> None:
        """Wait for the release."""
        self._go.wait(_HOLD)

    def stop(self) -> None:
        """Stop listening."""
        self._go.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: OpenAIModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A CLI that goes away in the middle is nothing to report."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the log is the model's own."""

    def end_headers(self) -> None:
        # One request a connection: no thread waits for the next one.
        self.send_header("Connection", "close")
        super().end_headers()

    def do_GET(self) -> None:
        self.server.model.log.add(Request("GET", path=self.path))
        self._json({"error": {"message": "not found"}}, 404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        side = not self.path.endswith("/responses") or wire.wants_title(body)
        kind, model = "side" if side else "main", str(body.get("model", ""))
        self.server.model.log.add(Request(kind, model, self.path, body))
        if not self.path.endswith("/responses"):
            self._json({"error": {"message": "not found"}}, 404)
        elif side:
            self._answer(model, Turn((wire.title(TITLE),)))
        else:
            self._answer(model, self.server.model.script.next())

    def _answer(self, model: str, turn: Turn) -> None:
        time.sleep(turn.delay)
        if turn.status:
            error = {"code": "scripted", "message": "scripted"}
            self._json(turn.error or {"error": error}, turn.status)
            return
        with contextlib.suppress(OSError):
            self._stream(model, turn)

    def _stream(self, model: str, turn: Turn) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        for part in turn.parts:
            for name, value in part.get("headers", {}).items():
                self.send_header(name, value)
        self.end_headers()
        for event in _paced(wire.events(model, turn.pieces()), turn, self.server.model):
            data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _json(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _paced(events: Iterator[wire.Event], turn: Turn, model: OpenAIModel) -> Iterator[wire.Event]:
    """The events as slowly as the turn says."""
    for event in events:
        if event["type"].endswith(".delta"):
            time.sleep(turn.chunk_delay)
        if event["type"] == "response.completed":
            time.sleep(turn.stall)
        yield event
        if event["type"] == "response.created" and turn.hold:
            model.held()


def main() -> None:
    """Play a scenario file until interrupted."""
    scenario = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    turns = scenario if isinstance(scenario, list) else scenario["turns"]
    model = OpenAIModel(*turns, log=Path("requests.jsonl")).start()
    print(model.url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
