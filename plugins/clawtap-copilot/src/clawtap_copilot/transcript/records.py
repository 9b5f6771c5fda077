"""The lines of a session's `events.jsonl` as typed records."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class Context(msgspec.Struct):
    """Where a session began."""

    cwd: str | None = None


class Call(msgspec.Struct):
    """A tool call of an answer."""

    id: str = msgspec.field(name="toolCallId", default="")
    name: str = ""
    arguments: Any = None


class Result(msgspec.Struct):
    """What a call gave; `detailed` is a diff for a file that was changed."""

    content: str = ""
    detailed: str = msgspec.field(name="detailedContent", default="")


class Failure(msgspec.Struct):
    """Why a call failed: `code` is "rejected" or "denied" where the user refused it."""

    message: str = ""
    code: str = ""


class Usage(msgspec.Struct):
    """The tokens of one request."""

    input: int = msgspec.field(name="inputTokens", default=0)
    output: int = msgspec.field(name="outputTokens", default=0)


class Data(msgspec.Struct):
    """What an event says: each type of event has some of these."""

    session_id: str = msgspec.field(name="sessionId", default="")
    version: str | None = msgspec.field(name="copilotVersion", default=None)
    started: datetime | None = msgspec.field(name="startTime", default=None)
    context: Context = msgspec.field(default_factory=Context)
    content: str = ""
    source: str | None = None
    reasoning: str | None = msgspec.field(name="reasoningText", default=None)
    model: str | None = None
    new_model: str | None = msgspec.field(name="newModel", default=None)
    new_mode: str | None = msgspec.field(name="newMode", default=None)
    calls: list[Call] = msgspec.field(name="toolRequests", default_factory=list)
    call_id: str = msgspec.field(name="toolCallId", default="")
    success: bool = True
    result: Result | None = None
    error: Failure | str | None = None
    message: str = ""
    agent: str = msgspec.field(name="agentName", default="")
    usage: Usage | None = None


class Event(msgspec.Struct):
    """A line; `agent` is the id of the subagent that it belongs to."""

    type: str
    id: str = ""
    timestamp: datetime | None = None
    agent: str | None = msgspec.field(name="agentId", default=None)
    data: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"{}"))


event = msgspec.json.Decoder(Event).decode
data = msgspec.json.Decoder(Data).decode
