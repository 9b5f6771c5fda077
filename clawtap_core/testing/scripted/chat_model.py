"""The scripted chat-completions model: an OpenAI-compatible server on loopback, by a script.

By hand: python -m clawtap_core.testing.scripted.chat_model scenario.json
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.testing.scripted import chat_wire as wire
from clawtap_core.testing.scripted.chat_log import ChatLog
from clawtap_core.testing.scripted.model import Handler, ScriptedModel
from clawtap_core.testing.scripted.request_log import Request
from clawtap_core.testing.scripted.script import Turn

MODEL = "fake-1"
TITLE = "Lab session"


class _Handler(Handler):
    def get(self) -> None:
        self.model.log.add(Request("GET", path=self.path))
        if self.path.startswith("/page"):
            self.send(b"<html><body><h1>Hello page</h1></body></html>", "text/html")
        else:
            self.json({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def post(self, body: Mapping[str, Any]) -> None:
        main, model = wire.is_main(body), str(body.get("model", ""))
        self.model.log.add(Request("main" if main else "side", model, self.path, body))
        turn = self.model.script.next(_task(body)) if main else Turn.of(TITLE)
        turn = self.model.prepared(turn, body)
        time.sleep(turn.delay)
        if turn.status:
            self.json(turn.error or {"error": {"message": "scripted"}}, turn.status, turn.headers)
            return
        with contextlib.suppress(OSError):
            self.stream(_paced(model, turn, self.model))


def _task(body: Mapping[str, Any]) -> str:
    """What the agent was asked: a subagent's task names its own turns."""
    asked = [message for message in body.get("messages") or () if message.get("role") == "user"]
    return json.dumps([message["content"] for message in asked])


def _paced(name: str, turn: Turn, model: ChatModel) -> Iterator[bytes]:
    """The chunks as slowly as the turn says."""
    for at, chunk in enumerate(wire.chunks(name, turn)):
        if chunk["choices"][0]["finish_reason"]:
            time.sleep(turn.stall)
        elif at:
            time.sleep(turn.chunk_delay)
        yield f"data: {json.dumps(chunk)}\n\n".encode()
        if not at and turn.hold:
            model.held()
    yield b"data: [DONE]\n\n"


class ChatModel(ScriptedModel[ChatLog]):
    """A model that speaks chat completions."""

    handler = _Handler
    log_of = ChatLog

    def prepared(self, turn: Turn, body: Mapping[str, Any]) -> Turn:
        """Return the turn as it answers this request."""
        return turn


if __name__ == "__main__":
    ChatModel.main()
