"""The records of `wire.jsonl`, as far as they are read."""

from __future__ import annotations

from typing import Any

import msgspec

# No record refers back to itself: `gc=False` keeps the collector from searching long files.


class Part(msgspec.Struct, gc=False):
    """A piece of a message."""

    type: str = ""
    text: str = ""
    think: str = ""


class Origin(msgspec.Struct, gc=False):
    """Who said something in the user's name."""

    kind: str = ""
    name: str = ""


class Words(msgspec.Struct, gc=False):
    """A message of the user or the agent."""

    role: str = ""
    content: list[Part] | str = []
    id: str = ""
    origin: Origin = msgspec.field(default_factory=Origin)

    @property
    def parts(self) -> list[Part]:
        """The pieces of the message."""
        if isinstance(self.content, str):
            return [Part("text", self.content)]
        return self.content


class Result(msgspec.Struct, gc=False):
    """The result of a call: a text, or parts."""

    output: Any = ""
    failed: Any = msgspec.field(default=False, name="isError")


class Event(msgspec.Struct, gc=False):
    """What happened in a step: a request to the model, and the calls that followed."""

    type: str = ""
    uuid: str = ""
    step: str = msgspec.field(default="", name="stepUuid")
    part: Part = msgspec.field(default_factory=Part)
    call: str = msgspec.field(default="", name="toolCallId")
    name: str = ""
    args: Any = None
    result: Result = msgspec.field(default_factory=Result)


class Request(msgspec.Struct, gc=False):
    """What the user is asked."""

    call: str = msgspec.field(default="", name="toolCallId")
    tool: str = msgspec.field(default="", name="toolName")
    display: Any = None


class Decision(msgspec.Struct, gc=False):
    """What the user decided."""

    decision: str = ""


class Usage(msgspec.Struct, gc=False):
    """Tokens of one request."""

    other: int = msgspec.field(default=0, name="inputOther")
    output: int = 0
    cached: int = msgspec.field(default=0, name="inputCacheRead")
    written: int = msgspec.field(default=0, name="inputCacheCreation")


class Failure(msgspec.Struct, gc=False):
    """Why a turn failed."""

    message: str = ""


class Record(msgspec.Struct, gc=False):
    """A line of the file."""

    type: str = ""
    time: float | None = None
    message: Words | str | None = None
    event: Event = msgspec.field(default_factory=Event)
    request: Request = msgspec.field(default_factory=Request)
    call: str = msgspec.field(default="", name="toolCallId")
    result: Decision = msgspec.field(default_factory=Decision)
    usage: Usage | None = None
    error: Failure | None = None
    profile: str = msgspec.field(default="", name="profileName")
    model: str = ""
    tokens: int = 0
    count: int = 0
    reason: str = ""


record = msgspec.json.Decoder(Record)
