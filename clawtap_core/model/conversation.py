"""Conversations: what transcripts, hooks and machine protocols tell, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

PENDING, SUCCESS, ERROR, CANCELLED = "pending", "success", "error", "cancelled"
"""What becomes of a tool call. Cancelled: refused, or interrupted."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a message. `type`: text, thinking, tool_use, tool_result.

    A tool_use has the call's id, its tool, its input and its `status`; the tool_result follows it
    in the same message once it is known, with the same id and status, what the tool gave as
    `text`, and where files changed a unified `diff` (the call has it too, where it is known then).
    """

    type: str
    text: str = ""
    tool_call_id: str | None = None
    tool_name: str | None = None
    input: Mapping[str, Any] | None = None
    status: str | None = None
    diff: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; a later one with the same id replaces it.

    `role`: user, assistant, or system for what the CLI itself tells: `notice` then says of what
    (error, interrupted, compaction, info). `origin` is the subagent that said it.
    """

    id: str
    role: str
    content: tuple[Block, ...]
    at: datetime | None = None
    notice: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """Something a CLI told: `type` is an event name of the wire, `data` its fields."""

    type: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """Where transcripts lie: a glob below a root. `rewritten`: whole files, not appended lines.

    Nothing outside the roots is read. A pattern with "{id}" finds one conversation by its id.
    """

    root: str
    pattern: str
    rewritten: bool = False


@dataclass(frozen=True, slots=True)
class TranscriptInfo:
    """What the beginning of a transcript tells.

    `cwd_file` is the path of a file that holds the folder's path, where the transcript does not.
    `companions` is a glob, from the transcript's folder, of files that belong to it: those of
    subagents, whose own info names them in `origin`. `version` is that of the CLI that wrote it.
    """

    cli_session_id: str
    cwd: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    cwd_file: str | None = None
    companions: str | None = None
    origin: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What new bytes of a transcript gave. `consumed` bytes are not given again.

    Messages come in the order of the conversation; one that changed comes again with its id.
    What tools do is told by messages alone: the core makes events of it. `events` are for the
    rest: status_update (model, contextTokens, contextWindow, tokens, cost) and session_error.
    `skipped` records gave nothing; `why`: how many of them for which reason, for the log (of a
    rewritten file: all that it has). `anew`: of a rewritten file everything is told once more,
    and what was told before counts no longer. `removed_from`: the user went back to before these
    messages: each, with all that came before this piece and after it, leaves the conversation.
    """

    consumed: int
    state: Any = None
    messages: tuple[Message, ...] = ()
    events: tuple[AgentEvent, ...] = ()
    skipped: int = 0
    why: Mapping[str, int] = field(default_factory=dict)
    anew: bool = False
    removed_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A piece of a conversation, oldest first. `more`: there are older messages before it.

    `status` is what is known of model, tokens and context (the fields of a status_update).
    """

    messages: tuple[Message, ...] = ()
    more: bool = False
    status: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A conversation that a CLI keeps. `session_id`: the session that runs it now, if any."""

    adapter: str
    cli_session_id: str
    last_activity: datetime
    cwd: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """One stored session, and a piece of what was said in it."""

    session: StoredSession
    page: MessagePage
