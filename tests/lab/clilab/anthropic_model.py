"""The scripted Anthropic model: speaks the Messages API on loopback, follows a script, logs all.

By hand: python -m clilab.anthropic_model scenario.json
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from clilab import anthropic_wire as wire
from clilab.anthropic_log import AnthropicLog
from clilab.request_log import Request
from clilab.script import Script, Turn

_HOLD = 120.0


class AnthropicModel:
    """A model that says what its script says."""

    def __init__(self, *turns: str | Mapping[str, Any], log: Path | None = None) -> None:
        self.script = Script(turns)
        self.log = AnthropicLog(log)
        self._go = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="claude-model"
        )

    @property
    def url(self) -> str:
        """The base URL for the CLI."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> AnthropicModel:
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

    def __init__(self, model: AnthropicModel) -> None:
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

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self.server.model.log.add(Request("GET", path=self.path))
        self._json({"type": "error", "error": {"type": "not_found_error", "message": "no"}}, 404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path, model = self.path.split("?")[0], str(body.get("model", ""))
        main = path.endswith("/messages") and wire.is_main(body)
        self.server.model.log.add(Request("main" if main else "side", model, self.path, body))
        if path.endswith("/count_tokens"):
            self._json({"input_tokens": 100})
        elif not path.endswith("/messages"):
            self._json({"type": "error", "error": {"type": "not_found_error"}}, 404)
        elif main:
            self._turn(model, self.server.model.script.next(), body)
        else:
            self._answer(model, Turn.of(wire.side_text(body)), body)

    def _turn(self, model: str, turn: Turn, body: Mapping[str, Any]) -> None:
        if turn.hold:
            self.server.model.held()
        time.sleep(turn.delay)
        if turn.status:
            error = {"type": "api_error", "message": "scripted"}
            self._json(turn.error or {"type": "error", "error": error}, turn.status)
            return
        self._answer(model, turn, body)

    def _answer(self, model: str, turn: Turn, body: Mapping[str, Any]) -> None:
        if body.get("stream"):
            with contextlib.suppress(OSError):
                self._stream(model, turn, body)
            return
        content = [wire.block(part, body) for part in turn.parts]
        self._json(wire.message(model, content, whole=True))

    def _stream(self, model: str, turn: Turn, body: Mapping[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in wire.events(model, turn.pieces(), body):
            if event["type"] == "message_delta":
                time.sleep(turn.stall)
            data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()
            if event["type"] == "content_block_delta":
                time.sleep(turn.chunk_delay)
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _json(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        # Without this a refused request is tried again for minutes.
        self.send_header("X-Should-Retry", "false")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def main() -> None:
    """Play a scenario file until interrupted."""
    scenario = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    turns = scenario if isinstance(scenario, list) else scenario["turns"]
    model = AnthropicModel(*turns, log=Path("requests.jsonl")).start()
    print(model.url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
