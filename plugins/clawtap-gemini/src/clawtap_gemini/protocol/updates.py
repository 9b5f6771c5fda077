"""Turn the updates of a session into events: text in pieces, thoughts, tools, the mode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core import ERROR, SUCCESS, AgentEvent, Block, Message, SessionFacts
from clawtap_core.protocol_io.json_rpc import mapping
from clawtap_gemini.protocol.tool_calls import body_of, input_of, text, title_of, tool_of

_KINDS = {"agent_message_chunk": "text_delta", "agent_thought_chunk": "thinking"}
_BLOCKS = {"text_delta": "text", "thinking": "thinking"}
_MODE = re.compile(r"\[MODE_UPDATE\] (?P<mode>\w+)")
MODES = {"default": "default", "autoEdit": "auto_edit", "yolo": "yolo", "plan": "plan"}
_FINISHED = {"completed": SUCCESS, "failed": ERROR}
Event = AgentEvent | Message | SessionFacts


class TurnUpdates:
    """The updates of one session. A message is complete when something else follows it."""

    def __init__(self) -> None:
        self._kind = ""
        self._text = ""
        self._count = 0
        self._tools: dict[str, Mapping[str, Any]] = {}

    def take(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Handle one update."""
        kind = text(update, "sessionUpdate")
        if kind in _KINDS:
            yield from self._chunk(_KINDS[kind], text(mapping(update.get("content")), "text"))
        elif kind in ("tool_call", "tool_call_update"):
            yield from self.flush()
            yield from self._tool(update)
        elif kind == "current_mode_update":
            yield SessionFacts(mode=MODES.get(text(update, "currentModeId")))

    def permission_requested(self, call: Mapping[str, Any]) -> Iterator[Event]:
        """Report a tool that asks for permission as started."""
        yield from self.flush()
        yield from self._tool(call)

    def flush(self) -> Iterator[Message]:
        """Yield the message that is complete now."""
        if self._text:
            block = Block(_BLOCKS[self._kind], self._text)
            yield Message(f"said:{self._count}", "assistant", (block,))
        self._kind = self._text = ""

    def _chunk(self, kind: str, piece: str) -> Iterator[Event]:
        # 0.61 reports the mode like this, in a chunk of its own.
        if mode := _MODE.fullmatch(piece):
            yield SessionFacts(mode=MODES.get(mode["mode"]))
            return
        if kind != self._kind:
            yield from self.flush()
            self._kind, self._count = kind, self._count + 1
        self._text += piece
        name = f"said:{self._count}"
        yield AgentEvent(kind, {"text": self._text, "delta": piece, "messageId": name})

    def _tool(self, update: Mapping[str, Any]) -> Iterator[Event]:
        # An update leaves out what did not change, so it is completed from earlier ones.
        name = text(update, "toolCallId")
        earlier = self._tools.get(name)
        call = {**(earlier or {}), **{k: v for k, v in update.items() if v not in (None, [], "")}}
        tool = tool_of(call) or title_of(call)[0]
        fields = {"toolCallId": name, "toolName": tool}
        if earlier is None:
            yield AgentEvent("tool_call_start", {**fields, "input": input_of(call)})
        self._tools[name] = call
        if status := _FINISHED.get(text(call, "status")):
            self._tools.pop(name)
            output = body_of(update)
            yield AgentEvent("tool_call_end", {**fields, "status": status})
            yield AgentEvent("tool_result", {**fields, "status": status, "text": output})
            yield Message(
                name,
                "assistant",
                (
                    Block("tool_use", "", name, tool, input_of(earlier or call), status),
                    Block("tool_result", output, name, tool, None, status),
                ),
            )
