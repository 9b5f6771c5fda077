"""The rows of a conversation as typed records."""

from __future__ import annotations

from typing import Any

import msgspec


class Row(msgspec.Struct):
    """A message, or a part of one; `data` is JSON.

    `sub` is 1 in a subagent's session, and `task` is the title of that session.
    """

    id: str
    part: str = ""
    sub: int = 0
    task: str | None = None
    data: str = ""


class Times(msgspec.Struct):
    """Milliseconds since 1970."""

    created: float | None = None
    completed: float | None = None


class Failure(msgspec.Struct):
    """Why a turn ended; `data` has the message."""

    name: str = ""
    data: Any = None

    @property
    def text(self) -> str:
        """What the CLI shows of it."""
        message = self.data.get("message") if isinstance(self.data, dict) else None
        return message if isinstance(message, str) and message else self.name


class Cache(msgspec.Struct):
    """Tokens that were read from, and written to, the cache."""

    read: float = 0
    write: float = 0


class Tokens(msgspec.Struct):
    """The tokens of one answer."""

    input: float = 0
    output: float = 0
    cache: Cache = msgspec.field(default_factory=Cache)


class MessageData(msgspec.Struct):
    """What a message says of itself; `summary` is true for that of a compaction."""

    role: str = ""
    time: Times = msgspec.field(default_factory=Times)
    agent: str | None = None
    model: str | None = msgspec.field(name="modelID", default=None)
    provider: str | None = msgspec.field(name="providerID", default=None)
    tokens: Tokens | None = None
    error: Failure | None = None
    summary: Any = None


class ToolState(msgspec.Struct):
    """How far a call is."""

    status: str = ""
    input: Any = None
    output: Any = None
    error: Any = None
    metadata: Any = None


class PartData(msgspec.Struct):
    """A part: text, reasoning, tool, file, and others that say nothing to a reader."""

    type: str = ""
    text: str = ""
    synthetic: bool = False
    tool: str = ""
    call: str = msgspec.field(name="callID", default="")
    state: ToolState = msgspec.field(default_factory=ToolState)
    filename: str | None = None


row = msgspec.json.Decoder(Row).decode
message = msgspec.json.Decoder(MessageData).decode
part = msgspec.json.Decoder(PartData).decode
