"""Conversations from transcripts, hooks and machine protocols, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from clawtap_core.model.machine import Machine, MachineStatus

# How a tool call ends. Cancelled: refused, or interrupted.
PENDING, SUCCESS, ERROR, CANCELLED = "pending", "success", "error", "cancelled"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a message. `type`: text, thinking, tool_use, tool_result.

    A tool_use has the call's id, tool, input and `status`; the tool_result follows it in the same
    message once known, with the same id and status, the tool's output as `text`, and a unified
    `diff` where files changed (on the call too, if it is known by then).
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

    `role`: user, assistant, or system for reports of the CLI itself, whose `notice` says what they
    are (error, interrupted, compaction, info). `origin` is the subagent that wrote it.
    """

    id: str
    role: str
    content: tuple[Block, ...]
    at: datetime | None = None
    notice: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """An event that a CLI reported: `type` is an event name of the wire, `data` its fields."""

    type: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranscriptQueries:
    """The SELECTs that read conversations from an SQLite database.

    `conversations` gives a row for each, the latest first: its `id`, `changed_at` in milliseconds
    since 1970, and what `describe_transcript` needs. `records` gives the rows of conversation
    `:id`, the last first; `parse_transcript` gets all of them, the first one first.
    """

    conversations: str
    records: str


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """Where transcripts are: a glob below a root. `rewritten`: whole files, not appended lines.

    Nothing outside the roots is read. A pattern with "{id}" finds one conversation by its id.
    With `queries` the files are SQLite databases, and each conversation of one is a transcript:
    its path is the file's with the conversation's id, and the hooks get rows as JSON lines.
    """

    root: str
    pattern: str
    rewritten: bool = False
    queries: TranscriptQueries | None = None


@dataclass(frozen=True, slots=True)
class EarlierTranscript:
    """The file in which a conversation began, and how many bytes of it belong to that.

    `name` is a glob for the file's name, in any folder of the source.
    """

    name: str
    end: int


@dataclass(frozen=True, slots=True)
class TranscriptInfo:
    """What the beginning of a transcript says.

    `cwd_file` is a file that holds the folder's path, if the transcript does not. `companions` is a
    glob, from the transcript's folder, of the transcripts of subagents ("../*/wire.jsonl"), whose
    own info names them in `origin`: by their task where it is known, which tells two of one type
    apart. `origin_file` is a file next to such a transcript that names the subagent: the hook is
    called with it next, and its `origin` is taken. `version` is that of the CLI that wrote it.
    `continues` names the file in which the conversation began, as after a fork. If a CLI begins
    another file for the same conversation, as when the user goes back, the one with the greatest
    `revision` is in use.
    """

    cli_session_id: str
    cwd: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    cwd_file: str | None = None
    companions: str | None = None
    origin: str | None = None
    version: str | None = None
    origin_file: str | None = None
    continues: EarlierTranscript | None = None
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What new bytes of a transcript gave. `consumed` bytes are not passed again.

    Messages come in conversation order; one that changed comes again with its id. Tool calls are
    reported by messages alone: the core makes events of them. `events` are for the rest:
    status_update (model, summary, contextTokens, contextWindow, tokens, cost) and session_error.
    `skipped` records gave nothing; `why` counts them by reason, for the log (of a rewritten file:
    all of it).
    `replaces_all`: a rewritten file reports all its messages, in place of all earlier ones.
    `removed_from`: the user went back to before these messages: each leaves the conversation, with
    all that came between it and this piece.
    """

    consumed: int
    state: Any = None
    messages: tuple[Message, ...] = ()
    events: tuple[AgentEvent, ...] = ()
    skipped: int = 0
    why: Mapping[str, int] = field(default_factory=dict)
    replaces_all: bool = False
    removed_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A piece of a conversation, oldest first. `more`: older messages exist; `newer`: newer ones.

    `status` holds the known fields of a status_update: model, tokens, context.
    """

    messages: tuple[Message, ...] = ()
    more: bool = False
    status: Mapping[str, Any] | None = None
    newer: bool = False


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A conversation that a CLI keeps. `session_id`: the session that runs it now, if any.

    `model` is that of its latest answer, `summary` what the CLI wrote about it.
    """

    adapter: str
    cli_session_id: str
    last_activity: datetime
    cwd: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    session_id: str | None = None
    model: str | None = None
    summary: str | None = None
    machine: Machine | None = None

    @property
    def place(self) -> str:
        """Return its place in a list of stored conversations."""
        return stored_place(self.last_activity, self.adapter, self.cli_session_id)


def stored_place(last_activity: datetime, adapter: str, cli_session_id: str) -> str:
    """Return a text that sorts stored conversations by their last activity."""
    at = last_activity.astimezone(timezone.utc).isoformat(timespec="microseconds")
    return f"{at} {adapter} {cli_session_id}"


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Stored conversations, newest first. `cursor` asks for the next page.

    `missing`: machines whose conversations are not among them; `detail` says why.
    """

    sessions: tuple[StoredSession, ...] = ()
    cursor: str | None = None
    missing: tuple[MachineStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A stored session, and a piece of its conversation."""

    session: StoredSession
    page: MessagePage
