"""The scripted Anthropic model: speaks the Messages API on loopback, follows a script, logs all.

By hand: python -m clawtap_claude.live.model scenario.json
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_claude.live import wire
from clawtap_claude.live.log import AnthropicLog
from clawtap_core.testing.scripted.model import Handler, ScriptedModel, named
from clawtap_core.testing.scripted.request_log import Request
from clawtap_core.testing.scripted.script import Turn


class _Handler(Handler):
    # Without this a refused request is tried again for minutes.
    always = {"X-Should-Retry": "false"}  # noqa: RUF012

    def get(self) -> None:
        self.model.log.add(Request("GET", path=self.path))
        self.json({"type": "error", "error": {"type": "not_found_error", "message": "no"}}, 404)

    def post(self, body: Mapping[str, Any]) -> None:
        path, model = self.path.split("?")[0], str(body.get("model", ""))
        main = path.endswith("/messages") and wire.is_main(body)
        self.model.log.add(Request("main" if main else "side", model, self.path, body))
        if path.endswith("/count_tokens"):
            self.json({"input_tokens": 100})
        elif not path.endswith("/messages"):
            self.json({"type": "error", "error": {"type": "not_found_error"}}, 404)
        elif main:
            self._turn(model, self.model.script.next(wire.task(body)), body)
        else:
            self._answer(model, Turn.of(wire.side_text(body)), body)

    def _turn(self, model: str, turn: Turn, body: Mapping[str, Any]) -> None:
        if turn.hold:
            self.model.held()
        time.sleep(turn.delay)
        if turn.status:
            error = {"type": "api_error", "message": "scripted"}
            self.json(turn.error or {"type": "error", "error": error}, turn.status, turn.headers)
            return
        self._answer(model, turn, body)

    def _answer(self, model: str, turn: Turn, body: Mapping[str, Any]) -> None:
        if body.get("stream"):
            with contextlib.suppress(OSError):
                self.stream(_paced(model, turn, body))
            return
        content = [wire.block(part, body) for part in turn.parts]
        self.json(wire.message(model, content, whole=True))


def _paced(model: str, turn: Turn, body: Mapping[str, Any]) -> Iterator[bytes]:
    """The events as slowly as the turn says."""
    for event in wire.events(model, turn.pieces(), body):
        if event["type"] == "message_delta":
            time.sleep(turn.stall)
        yield named(event)
        if event["type"] == "content_block_delta":
            time.sleep(turn.chunk_delay)


class AnthropicModel(ScriptedModel[AnthropicLog]):
    """A model that speaks to Claude Code."""

    handler = _Handler
    log_of = AnthropicLog


if __name__ == "__main__":
    AnthropicModel.main()
