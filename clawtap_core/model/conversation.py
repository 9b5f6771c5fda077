"""Conversations: what transcripts, hooks and machine protocols tell, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from clawtap_core.model.prompt import PromptForm


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a message. `type`: text, thinking, tool_use, tool_result."""

    type: str
    text: str = ""
    tool_call_id: str | None = None
    tool_name: str | None = None
    input: Mapping[str, Any] | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; a later one with the same id replaces it."""

    id: str
    role: str
    content: tuple[Block, ...]
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """Something a CLI told: `type` is an event name of the wire, `data` its fields."""

    type: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """Where transcripts lie: a glob below a root. `rewritten`: whole files, not appended lines."""

    root: str
    pattern: str
    rewritten: bool = False


@dataclass(frozen=True, slots=True)
class TranscriptInfo:
    """What the beginning of a transcript tells."""

    cli_session_id: str
    cwd: str | None = None
    title: str | None = None
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What new bytes of a transcript gave. `consumed` bytes are not given again."""

    consumed: int
    state: Any = None
    messages: tuple[Message, ...] = ()
    events: tuple[AgentEvent, ...] = ()
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class HookEndpoint:
    """Where a CLI's hooks report: our bridge program and the URL it posts to."""

    bridge: str
    url: str


@dataclass(frozen=True, slots=True)
class HookConfig:
    """What to merge into the CLI's settings file (`path` below HOME)."""

    path: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HookReport:
    """What a hook's payload tells; `form`, where it asks something."""

    cli_session_id: str | None = None
    events: tuple[AgentEvent, ...] = ()
    form: PromptForm | None = None
