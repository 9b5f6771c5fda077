"""The scripted Gemini model: speaks the Gemini API on loopback, follows a script, logs it all.

By hand: python -m clilab.gemini_model scenario.json [port]
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from clilab import gemini_wire as wire
from clilab.request_log import Request, RequestLog
from clilab.script import Script, Turn

_HOLD = 120.0


class GeminiModel:
    """A model that says what its script says. `aux` answers side jobs: text by a part of theirs."""

    def __init__(self, *turns: str | Mapping[str, Any], log: Path | None = None) -> None:
        self.script = Script(turns)
        self.log = RequestLog(log)
        self.aux: dict[str, Any] = {}
        self._go = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="gemini-model"
        )

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The base URL for the CLI."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> GeminiModel:
        """Begin to answer."""
        self._thread.start()
        return self

    def play(self, *turns: str | Mapping[str, Any], repeat_last: bool = False) -> None:
        """Start a new chapter with these turns."""
        self._go.set()
        self._go = threading.Event()
        self.aux = {}
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

    def __init__(self, model: GeminiModel) -> None:
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
        if self.path.startswith("/page"):
            self._send(b"<html><body><h1>Hello page</h1></body></html>", "text/html")
        else:
            self._json({"models": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        model, method = wire.route(self.path)
        main = wire.is_main(method, body)
        kind = "main" if main else method
        self.server.model.log.add(Request(kind, model, self.path, body))
        if method == "countTokens":
            self._json({"totalTokens": 100})
        elif main:
            self._turn(model, self.server.model.script.next())
        else:
            self._side_job(model, method, body)

    def _turn(self, model: str, turn: Turn) -> None:
        if turn.hold:
            self.server.model.held()
        time.sleep(turn.delay)
        if turn.status:
            error = {"code": turn.status, "message": "scripted", "status": "X"}
            self._json(turn.error or {"error": error}, turn.status)
            return
        self._stream_head()
        for chunk in wire.chunks(model, turn):
            self._event(chunk)
            time.sleep(turn.chunk_delay)
        if turn.stall:
            time.sleep(turn.stall)
            self._event(wire.answer(model, {"text": ""}, turn.finish))
        self._stream_end()

    def _side_job(self, model: str, method: str, body: Mapping[str, Any]) -> None:
        text, whole = wire.side_text(body), json.dumps(body)
        text = next((said for part, said in self.server.model.aux.items() if part in whole), text)
        chunk = wire.answer(model, {"text": text}, "STOP")
        if method == "streamGenerateContent":
            self._stream_head()
            self._event(chunk)
            self._stream_end()
        else:
            self._json(chunk)

    def _json(self, value: Any, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), "application/json", status)

    def _send(self, data: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream_head(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, value: Any) -> None:
        data = b"data: " + json.dumps(value).encode() + b"\r\n\r\n"
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _stream_end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def main() -> None:
    """Play a scenario file until interrupted."""
    scenario = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    turns = scenario if isinstance(scenario, list) else scenario["turns"]
    model = GeminiModel(*turns, log=Path("requests.jsonl")).start()
    print(model.url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
