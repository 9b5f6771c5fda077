"""Collect the deltas of stream-json into the text written so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core import AgentEvent
from clawtap_core.protocol_io.json_values import mapping

_TEXTS = {"text_delta": ("text_delta", "text"), "thinking_delta": ("thinking", "thinking")}


class Streaming:
    """One message, block by block."""

    def __init__(self) -> None:
        self._message = ""
        self._blocks: dict[Any, str] = {}
        self._calls: dict[Any, str] = {}

    def read(self, event: Mapping[str, Any]) -> Iterator[AgentEvent]:
        """Yield what one stream event adds."""
        kind, index = event.get("type"), event.get("index")
        if not isinstance(index, int):
            index = 0
        if kind == "message_start":
            self._message = str(mapping(event.get("message")).get("id") or "")
            self._blocks, self._calls = {}, {}
        elif kind == "content_block_start":
            block = mapping(event.get("content_block"))
            if block.get("type") == "tool_use":
                self._calls[index] = str(block.get("id"))
        elif kind == "content_block_delta":
            yield from self._delta(index, mapping(event.get("delta")))

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Iterator[AgentEvent]:
        kind = str(delta.get("type"))
        if kind in _TEXTS:
            name, field = _TEXTS[kind]
            new = str(delta.get(field) or "")
            text = self._blocks[index] = self._blocks.get(index, "") + new
            if new:
                yield AgentEvent(name, {"text": text, "delta": new, "messageId": self._message})
        elif kind == "input_json_delta" and index in self._calls:
            new = str(delta.get("partial_json") or "")
            tool_call = {"toolCallId": self._calls[index], "messageId": self._message}
            yield AgentEvent("tool_call_delta", {**tool_call, "delta": new})
