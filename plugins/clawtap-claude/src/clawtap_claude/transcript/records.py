"""The fields of Claude Code's transcript records that are read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

RAW = msgspec.Raw(b"")
# Nothing in these refers back to itself, so the garbage collector need not look (`gc=False`).


class Usage(msgspec.Struct, gc=False):
    """The tokens of a request."""

    input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    output_tokens: int = 0


class Piece(msgspec.Struct, gc=False):
    """A block of a message."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: Any = None
    tool_use_id: str = ""
    is_error: bool | None = None
    content: Any = None


class Body(msgspec.Struct, gc=False):
    """The message of a user or assistant line."""

    id: str = ""
    model: str = ""
    content: str | list[Piece] = ""
    usage: Usage | None = None


class Quota(msgspec.Struct, gc=False):
    """The limit that a request reached; `resets_at` in seconds since 1970."""

    resets_at: float | None = msgspec.field(default=None, name="resetsAt")


class Line(msgspec.Struct, gc=False):
    """One line; fields of some kinds only stay raw until they are needed."""

    type: str = ""
    subtype: str = ""
    uuid: str = ""
    parent: str | None = msgspec.field(default=None, name="parentUuid")
    timestamp: datetime | None = None
    message: Body | None = None
    agent: str | None = msgspec.field(default=None, name="agentId")
    meta: bool = msgspec.field(default=False, name="isMeta")
    summary: bool = msgspec.field(default=False, name="isCompactSummary")
    failed: bool = msgspec.field(default=False, name="isApiErrorMessage")
    quota: Quota | None = msgspec.field(default=None, name="quotaLimits")
    result: msgspec.Raw = msgspec.field(default=RAW, name="toolUseResult")
    denial: str | None = msgspec.field(default=None, name="toolDenialKind")
    attachment: msgspec.Raw = RAW
    cost: float | None = msgspec.field(default=None, name="totalCostUSD")


class Kind(msgspec.Struct, gc=False):
    """The type of a line that has another form."""

    type: str = ""


class Queued(msgspec.Struct, gc=False):
    """An attachment; only queued messages are read."""

    type: str = ""
    prompt: str | list[Piece] = ""


class Hunk(msgspec.Struct, rename="camel", gc=False):
    """A piece of a patch."""

    lines: list[str]
    old_start: int = 0
    old_lines: int = 0
    new_start: int = 0
    new_lines: int = 0


class Patched(msgspec.Struct, rename="camel", gc=False):
    """The change of an edit."""

    file_path: str = ""
    structured_patch: list[Hunk] = []


class Head(msgspec.Struct, gc=False):
    """The fields of the first lines that describe the conversation."""

    type: str = ""
    session: str = msgspec.field(default="", name="sessionId")
    cwd: str | None = None
    version: str | None = None
    timestamp: datetime | None = None
    sidechain: bool = msgspec.field(default=False, name="isSidechain")
    agent: str | None = msgspec.field(default=None, name="agentId")
    meta: bool = msgspec.field(default=False, name="isMeta")
    message: msgspec.Raw = RAW


class Subagent(msgspec.Struct, gc=False):
    """What the CLI notes next to the transcript of a subagent."""

    task: str = msgspec.field(default="", name="description")
    type: str = msgspec.field(default="", name="agentType")


line = msgspec.json.Decoder(Line)
body = msgspec.json.Decoder(Body)
kind = msgspec.json.Decoder(Kind)
queued = msgspec.json.Decoder(Queued)
patched = msgspec.json.Decoder(Patched)
head = msgspec.json.Decoder(Head)
subagent = msgspec.json.Decoder(Subagent)
