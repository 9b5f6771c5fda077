"""The fields of rollout records that ClawTap reads."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

RAW = msgspec.Raw(b"")
# None of these can form a reference cycle, so `gc=False` saves the collector work on long files.


class Line(msgspec.Struct, gc=False):
    """One line of the file; its payload stays raw until its type is known."""

    type: str = ""
    timestamp: datetime | None = None
    payload: msgspec.Raw = RAW


class Base(msgspec.Struct, gc=False):
    """The rollout that another one continues, by the last id in its name, up to a byte."""

    rollout: str = msgspec.field(default="", name="thread_id")
    end: int = msgspec.field(default=0, name="end_byte_offset")


class Meta(msgspec.Struct, gc=False):
    """The session of a rollout; `source` is an object if another agent started it.

    `base` is what the user forked, or went back in.
    """

    id: str = ""
    cwd: str | None = None
    timestamp: datetime | None = None
    version: str | None = msgspec.field(default=None, name="cli_version")
    source: Any = None
    base: Base | None = msgspec.field(default=None, name="history_base")


class Text(msgspec.Struct, gc=False):
    """A piece of a message."""

    type: str = ""
    text: str = ""


class Item(msgspec.Struct, gc=False):
    """Something sent to the model or received from it."""

    type: str = ""
    id: str | None = None
    role: str = ""
    content: list[Text] | None = None
    summary: list[Text] | None = None
    name: str = ""
    namespace: str | None = None
    call_id: str | None = None
    arguments: str = ""
    input: str = ""
    action: Any = None
    output: Any = None


class ReportedItem(msgspec.Struct, gc=False):
    """An item of an event, as newer versions write it."""

    type: str = ""
    id: str = ""
    content: list[Text] | None = None


class Usage(msgspec.Struct, gc=False):
    """Tokens of one request."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0


class Count(msgspec.Struct, gc=False):
    """The use of the context window."""

    last_token_usage: Usage | None = None
    model_context_window: int | None = None


class Failure(msgspec.Struct, gc=False):
    """Why a turn failed; `info` is a name, or an object with the status of the response."""

    message: str = ""
    info: Any = msgspec.field(default=None, name="codex_error_info")


class Event(msgspec.Struct, gc=False):
    """An event of the CLI."""

    type: str = ""
    message: str = ""
    item: ReportedItem | None = None
    info: Count | None = None
    reason: str = ""
    error: Failure | None = None
    answer: str | None = msgspec.field(default="", name="last_agent_message")
    error_info: Any = msgspec.field(default=None, name="codex_error_info")
    turns: int = msgspec.field(default=0, name="num_turns")


class Compaction(msgspec.Struct, gc=False):
    """A summary in place of what was said before, after words of the CLI's own."""

    message: str = ""


class Context(msgspec.Struct, gc=False):
    """The settings of a turn."""

    model: str | None = None


line = msgspec.json.Decoder(Line)
meta = msgspec.json.Decoder(Meta)
item = msgspec.json.Decoder(Item)
event = msgspec.json.Decoder(Event)
context = msgspec.json.Decoder(Context)
compaction = msgspec.json.Decoder(Compaction)
anything = msgspec.json.Decoder()
