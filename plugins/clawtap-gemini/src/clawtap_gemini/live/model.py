"""The scripted Gemini model: speaks the Gemini API on loopback, follows a script, logs it all.

By hand: python -m clawtap_gemini.live.model scenario.json
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clawtap_core.testing.scripted.model import Handler, ScriptedModel
from clawtap_core.testing.scripted.request_log import Request
from clawtap_core.testing.scripted.script import Turn
from clawtap_gemini.live import wire
from clawtap_gemini.live.log import GeminiLog

# What a registry says of the CLI's package when there is a newer one.
_PACKAGE = {
    "name": "@google/gemini-cli",
    "dist-tags": {"latest": "99.0.0"},
    "versions": {"99.0.0": {"name": "@google/gemini-cli", "version": "99.0.0"}},
}


class _Handler(Handler):
    def get(self) -> None:
        self.model.log.add(Request("GET", path=self.path))
        if self.path.startswith("/page"):
            self.send(b"<html><body><h1>Hello page</h1></body></html>", "text/html")
        elif "gemini-cli" in self.path:
            self.json(_PACKAGE)
        else:
            self.json({"models": []})

    def post(self, body: Mapping[str, Any]) -> None:
        model, method = wire.route(self.path)
        main = wire.is_main(method, body)
        kind = "main" if main else method
        self.model.log.add(Request(kind, model, self.path, body))
        if method == "countTokens":
            self.json({"totalTokens": 100})
        elif main:
            self._turn(model, self.model.script.next(), body)
        else:
            self._side_job(model, method, body)

    def _turn(self, model: str, turn: Turn, body: Mapping[str, Any]) -> None:
        if turn.hold:
            self.model.held()
        time.sleep(turn.delay)
        if turn.status:
            error = {"code": turn.status, "message": "scripted", "status": "X"}
            self.json(turn.error or {"error": error}, turn.status, turn.headers)
            return
        self.stream(map(_event, _paced(model, turn, body)))

    def _side_job(self, model: str, method: str, body: Mapping[str, Any]) -> None:
        text, whole = wire.side_text(body), json.dumps(body)
        text = next((said for part, said in self.model.aux.items() if part in whole), text)
        chunk = wire.answer(model, {"text": text}, "STOP")
        if method == "streamGenerateContent":
            self.stream([_event(chunk)])
        else:
            self.json(chunk)


def _paced(model: str, turn: Turn, body: Mapping[str, Any]) -> Iterator[Any]:
    """The chunks as slowly as the turn says."""
    for chunk in wire.chunks(model, turn, body):
        yield chunk
        time.sleep(turn.chunk_delay)
    if turn.stall:
        time.sleep(turn.stall)
        yield wire.answer(model, {"text": ""}, turn.finish)


def _event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\r\n\r\n"


class GeminiModel(ScriptedModel[GeminiLog]):
    """A model that speaks to the Gemini CLI. `aux` answers side jobs: text by a part of theirs."""

    handler = _Handler
    log_of = GeminiLog

    def __init__(self, *turns: str | Mapping[str, Any], log: Path | None = None) -> None:
        super().__init__(*turns, log=log)
        self.aux: dict[str, Any] = {}

    def play(self, *turns: str | Mapping[str, Any], repeat_last: bool = False) -> None:
        """Start a new chapter with these turns, and no answers to side jobs."""
        self.aux = {}
        super().play(*turns, repeat_last=repeat_last)


if __name__ == "__main__":
    GeminiModel.main()
