"""The scripted OpenAI model: speaks the Responses API on loopback, follows a script, logs it all.

By hand: python -m clawtap_codex.live.model scenario.json
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_codex.live import wire
from clawtap_codex.live.log import OpenAILog
from clawtap_core.testing.scripted.model import Handler, ScriptedModel, named
from clawtap_core.testing.scripted.request_log import Request
from clawtap_core.testing.scripted.script import Turn

TITLE = "Lab session"


class _Handler(Handler):
    def get(self) -> None:
        self.model.log.add(Request("GET", path=self.path))
        self.json({"error": {"message": "not found"}}, 404)

    def post(self, body: Mapping[str, Any]) -> None:
        side = not self.path.endswith("/responses") or wire.wants_title(body)
        kind, model = "side" if side else "main", str(body.get("model", ""))
        self.model.log.add(Request(kind, model, self.path, body))
        if not self.path.endswith("/responses"):
            self.json({"error": {"message": "not found"}}, 404)
        elif side:
            self._answer(model, Turn((wire.title(TITLE),)))
        else:
            self._answer(model, self.model.script.next())

    def _answer(self, model: str, turn: Turn) -> None:
        time.sleep(turn.delay)
        if turn.status:
            error = {"code": "scripted", "message": "scripted"}
            self.json(turn.error or {"error": error}, turn.status, turn.headers)
            return
        reported = {
            name: each for part in turn.parts for name, each in part.get("headers", {}).items()
        }
        with contextlib.suppress(OSError):
            self.stream(map(named, _paced(model, turn, self.model)), reported)


def _paced(name: str, turn: Turn, model: OpenAIModel) -> Iterator[wire.Event]:
    """The events as slowly as the turn says."""
    for event in wire.events(name, turn.pieces()):
        if event["type"].endswith(".delta"):
            time.sleep(turn.chunk_delay)
        if event["type"] == "response.completed":
            time.sleep(turn.stall)
        yield event
        if event["type"] == "response.created" and turn.hold:
            model.held()


class OpenAIModel(ScriptedModel[OpenAILog]):
    """A model that speaks to the Codex CLI."""

    handler = _Handler
    log_of = OpenAILog


if __name__ == "__main__":
    OpenAIModel.main()
