"""The records of a rollout, as far as they are read; all else is passed over."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

RAW = msgspec.Raw(b"")
# Nothing in these points back at itself: `gc=False` spares a long file the search for what does.


class Line(msgspec.Struct, gc=False):
    """One line of the file; its payload stays raw until its kind is known."""

    type: str = ""
    timestamp: datetime | None = None
    payload: msgspec.Raw = RAW


class Meta(msgspec.Struct, gc=False):
    """Whose rollout it is. `source` is an object where another agent began it."""

    id: str = ""
    cwd: str | None = None
    timestamp: datetime | None = None
    version: str | None = msgspec.field(default=None, name="cli_version")
    source: Any = None


class Text(msgspec.Struct, gc=False):
    """A piece of a message."""

    type: str = ""
    text: str = ""


class Item(msgspec.Struct, gc=False):
    """What went to the model and came from it."""

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
    """An item that newer versions tell of."""

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
    """How full the context is."""

    last_token_usage: Usage | None = None
    model_context_window: int | None = None


class Event(msgspec.Struct, gc=False):
    """What happened."""

    type: str = ""
    message: str = ""
    item: ReportedItem | None = None
    info: Count | None = None
    reason: str = ""


class Context(msgspec.Struct, gc=False):
    """What a turn runs with."""

    model: str | None = None


line = msgspec.json.Decoder(Line)
meta = msgspec.json.Decoder(Meta)
item = msgspec.json.Decoder(Item)
event = msgspec.json.Decoder(Event)
context = msgspec.json.Decoder(Context)
anything = msgspec.json.Decoder()
