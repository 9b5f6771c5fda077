"""The records of a session file, as far as they are read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

RAW = msgspec.Raw(b"")
# No record refers back to itself: `gc=False` keeps the collector from searching long files.


class Thought(msgspec.Struct, gc=False):
    """A thought."""

    subject: str = ""
    description: str = ""


class Tokens(msgspec.Struct, gc=False):
    """Tokens of one request."""

    input: int = 0
    output: int = 0
    cached: int = 0
    total: int = 0


class Call(msgspec.Struct, gc=False):
    """A tool call that was answered."""

    id: str = ""
    name: str = ""
    args: Any = None
    result: Any = None
    status: str = ""
    shown: msgspec.Raw = msgspec.field(default=RAW, name="resultDisplay")


class Record(msgspec.Struct, gc=False):
    """A line of newer files, or a message in the one object of older ones.

    `shown` is what the user wrote, where `content` also holds the files that it mentions.
    """

    id: str = ""
    timestamp: datetime | None = None
    type: str = ""
    content: Any = None
    shown: Any = msgspec.field(default=None, name="displayContent")
    thoughts: list[Thought] | None = None
    tokens: Tokens | None = None
    model: str | None = None
    calls: list[Call] | None = msgspec.field(default=None, name="toolCalls")
    change: msgspec.Raw = msgspec.field(default=RAW, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")
    session: str | None = msgspec.field(default=None, name="sessionId")
    started: datetime | None = msgspec.field(default=None, name="startTime")
    kind: str | None = None


class Change(msgspec.Struct, gc=False):
    """What a `$set` sets."""

    messages: list[Record] | None = None
    summary: str | None = None
    session: str | None = msgspec.field(default=None, name="sessionId")


class Whole(msgspec.Struct, gc=False):
    """The one object of older files."""

    messages: list[msgspec.Raw]
    summary: str | None = None


class Edited(msgspec.Struct, gc=False):
    """What the CLI shows of an edit."""

    diff: str | None = msgspec.field(default=None, name="fileDiff")


record = msgspec.json.Decoder(Record)
change = msgspec.json.Decoder(Change)
whole = msgspec.json.Decoder(Whole)
edited = msgspec.json.Decoder(Edited)
text = msgspec.json.Decoder(str)
