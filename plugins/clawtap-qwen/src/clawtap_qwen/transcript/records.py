"""The records of a session file, as far as they are read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

# No record refers back to itself: `gc=False` keeps the collector from searching long files.


class Call(msgspec.Struct, gc=False):
    """A tool call."""

    id: str = ""
    name: str = ""
    args: Any = None


class Output(msgspec.Struct, gc=False):
    """The result of a call."""

    id: str = ""
    response: Any = None


class Part(msgspec.Struct, gc=False):
    """A piece of a message; `thought`: the text is one."""

    text: str | None = None
    thought: Any = None
    call: Call | None = msgspec.field(default=None, name="functionCall")
    output: Output | None = msgspec.field(default=None, name="functionResponse")
    data: Any = msgspec.field(default=None, name="inlineData")


class Words(msgspec.Struct, gc=False):
    """A message of the user or the agent."""

    parts: list[Part] = []


class Result(msgspec.Struct, gc=False):
    """How a call ended, and what the CLI shows of it."""

    id: str = msgspec.field(default="", name="callId")
    status: str = ""
    shown: Any = msgspec.field(default=None, name="resultDisplay")


class Tokens(msgspec.Struct, gc=False):
    """Tokens of one request."""

    input: int = msgspec.field(default=0, name="promptTokenCount")
    output: int = msgspec.field(default=0, name="candidatesTokenCount")
    cached: int = msgspec.field(default=0, name="cachedContentTokenCount")
    total: int = msgspec.field(default=0, name="totalTokenCount")


class Record(msgspec.Struct, gc=False):
    """A line: what somebody said, what a call gave, or a note of the CLI."""

    uuid: str = ""
    parent: str | None = msgspec.field(default=None, name="parentUuid")
    session: str = msgspec.field(default="", name="sessionId")
    timestamp: datetime | None = None
    type: str = ""
    subtype: str = ""
    cwd: str = ""
    version: str = ""
    model: str | None = None
    message: Words | None = None
    tokens: Tokens | None = msgspec.field(default=None, name="usageMetadata")
    result: Result | None = msgspec.field(default=None, name="toolCallResult")
    payload: Any = msgspec.field(default=None, name="systemPayload")

    @property
    def parts(self) -> list[Part]:
        """The pieces of the message."""
        return self.message.parts if self.message else []


record = msgspec.json.Decoder(Record)
