"""Messages and events from the items of a turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_codex.protocol.permissions import strip_shell
from clawtap_core import CANCELLED, ERROR, PENDING, SUCCESS, AgentEvent, Block, Message
from clawtap_core.protocol_io.json_values import mapping, objects_in, text

_DELTAS = {
    "item/agentMessage/delta": "text_delta",
    "item/plan/delta": "text_delta",
    "item/reasoning/summaryTextDelta": "thinking",
    "item/reasoning/textDelta": "thinking",
}
_OUTPUT = "item/commandExecution/outputDelta"
_SPOKEN = ("userMessage", "agentMessage", "plan", "reasoning")
_TOOLS = {"commandExecution": "exec_command", "fileChange": "apply_patch"}

_STATUS = {
    "completed": SUCCESS,
    "failed": ERROR,
    "declined": CANCELLED,
    "inProgress": PENDING,
}


class ItemStream:
    """The items of one thread; collects texts that arrive in pieces."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def started(self, item: Mapping[str, Any]) -> Iterator[AgentEvent]:
        """Report the start of a tool call."""
        if text(item, "type") not in _SPOKEN and text(item, "id"):
            data = {"toolCallId": text(item, "id"), "toolName": _name(item), "input": _input(item)}
            yield AgentEvent("tool_call_start", data)

    def delta(self, method: str, params: Mapping[str, Any]) -> Iterator[AgentEvent]:
        """Report a piece of an item, with its text so far."""
        item, piece = text(params, "itemId"), text(params, "delta")
        if method == _OUTPUT:
            yield AgentEvent("tool_call_delta", {"toolCallId": item, "delta": piece})
        elif kind := _DELTAS.get(method):
            self._texts[item] = self._texts.get(item, "") + piece
            yield AgentEvent(kind, {"text": self._texts[item], "delta": piece, "messageId": item})

    def completed(self, item: Mapping[str, Any]) -> Iterator[AgentEvent | Message]:
        """Report a finished item."""
        name, kind = text(item, "id"), text(item, "type")
        self._texts.pop(name, None)
        if not name:
            return
        if kind not in _SPOKEN:
            outcome = {"toolCallId": name, "toolName": _name(item), "status": _status(item)}
            yield AgentEvent("tool_call_end", outcome)
            yield AgentEvent("tool_result", {**outcome, "text": _output(item)})
        if blocks := _blocks(item):
            yield Message(name, "user" if kind == "userMessage" else "assistant", blocks)


def _blocks(item: Mapping[str, Any]) -> tuple[Block, ...]:
    kind = text(item, "type")
    if kind == "userMessage":
        words = "\n".join(
            filter(None, (text(part, "text") for part in objects_in(item, "content")))
        )
        return (Block("text", words),) if words else ()
    if kind == "reasoning":
        thought = _joined(item.get("summary")) or _joined(item.get("content"))
        return (Block("thinking", thought),) if thought else ()
    if kind in _SPOKEN:
        return (Block("text", text(item, "text")),) if text(item, "text") else ()
    name, tool, status = text(item, "id"), _name(item), _status(item)
    return (
        Block("tool_use", "", name, tool, _input(item), status),
        Block("tool_result", _output(item), name, tool, None, status),
    )


def _name(item: Mapping[str, Any]) -> str:
    kind, server, tool = (text(item, name) for name in ("type", "server", "tool"))
    return f"{server}.{tool}" if server and tool else _TOOLS.get(kind) or tool or kind


def _input(item: Mapping[str, Any]) -> dict[str, Any]:
    kind = text(item, "type")
    if kind == "commandExecution":
        return {"command": strip_shell(text(item, "command"))}
    if kind == "fileChange":
        return {"changes": objects_in(item, "changes")}
    given = item.get("arguments")
    if isinstance(given, dict):
        return dict(given)
    plain = (str, int, float)
    return {k: v for k, v in item.items() if isinstance(v, plain) and k not in ("id", "type")}


def _status(item: Mapping[str, Any]) -> str:
    # The server calls a command completed whatever its exit code; transcripts call that an error.
    code = item.get("exitCode")
    if isinstance(code, int) and code:
        return ERROR
    return _STATUS.get(text(item, "status") or "completed", PENDING)


def _output(item: Mapping[str, Any]) -> str:
    result, error = mapping(item.get("result")), mapping(item.get("error"))
    words = [text(part, "text") for part in objects_in(result, "content")]
    return (
        text(item, "aggregatedOutput") or "\n".join(filter(None, words)) or text(error, "message")
    )


def _joined(parts: Any) -> str:
    pieces = parts if isinstance(parts, list) else []
    return "\n\n".join(piece for piece in pieces if isinstance(piece, str) and piece)
