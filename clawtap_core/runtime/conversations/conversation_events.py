"""Events of a changed conversation; they are streamed only, since the CLI keeps the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from clawtap_core.model import PENDING, AgentEvent, Block, Event, Message
from clawtap_core.runtime.state import events
from clawtap_core.schemas import dump
from clawtap_core.transcripts.conversation import Change


def message_events(session_id: str, change: Change, at: datetime) -> Iterator[Event]:
    """Yield the events of a changed message and of its new blocks."""
    before, message = change
    old = before.content if before else ()
    for block in message.content:
        if block not in old:
            for kind, data in _of_block(block, message, before):
                yield events.session_event(kind, session_id, at, **data)
    yield Event("message", at, session_id, {"sessionId": session_id, **dump(message)})


def removed(session_id: str, messages: Sequence[Message], at: datetime) -> Event:
    """Return the event of messages that left the conversation."""
    blocks = (block for message in messages for block in message.content)
    calls = [block.tool_call_id for block in blocks if block.type == "tool_use"]
    names = [message.id for message in messages]
    return events.session_event(
        "messages_removed", session_id, at, messageIds=names, toolCallIds=list(filter(None, calls))
    )


def _of_block(
    block: Block, message: Message, before: Message | None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    origin = {"origin": message.origin} if message.origin else {}
    call = {
        "toolCallId": block.tool_call_id,
        "toolName": block.tool_name,
        "messageId": message.id,
        **origin,
    }
    if block.type == "thinking" and block.text:
        yield "thinking", {"text": block.text, "messageId": message.id, **origin}
    if block.type == "tool_use":
        if not _has_call(before, block.tool_call_id):
            yield "tool_call_start", {**call, "input": dict(block.input or {})}
        if block.status and block.status != PENDING:
            yield "tool_call_end", {**call, "status": block.status}
    if block.type == "tool_result":
        diff = {"diff": block.diff} if block.diff else {}
        yield "tool_result", {**call, "status": block.status, "text": block.text, **diff}


def _has_call(message: Message | None, call_id: str | None) -> bool:
    return message is not None and any(
        block.type == "tool_use" and block.tool_call_id == call_id for block in message.content
    )


def with_context(event: AgentEvent, window: int | None) -> dict[str, Any]:
    """Return the fields of a status_update, with the share of the context if it is known."""
    data = {name: value for name, value in event.data.items() if value is not None}
    used = data.get("contextTokens")
    size = data.get("contextWindow") or window
    if isinstance(used, (int, float)) and size:
        data["contextWindow"] = size
        data["contextPercent"] = round(100 * used / size, 1)
    return data
