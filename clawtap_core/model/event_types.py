"""Event names and the types of their data, in the stream and the journal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypedDict

from clawtap_core.model.conversation import Message
from clawtap_core.model.prompt import Prompt
from clawtap_core.model.screen import Screen
from clawtap_core.model.session import Session
from clawtap_core.model.snapshot import Snapshot


class EventType(str, Enum):
    """What an event is about; adapters may add names of their own."""

    SNAPSHOT = "snapshot"
    APPROVAL_REQUIRED = "approval_required"
    QUESTION_PROMPT = "question_prompt"
    PROMPT_UPDATED = "prompt_updated"
    PROMPT_RESOLVED = "prompt_resolved"
    SESSION_STATUS = "session_status"
    QUEUE_UPDATE = "queue_update"
    TEXT_DELTA = "text_delta"
    THINKING = "thinking"
    MESSAGE = "message"
    MESSAGES_REMOVED = "messages_removed"
    TOOL_CALL_START = "tool_call_start"
    TOOL_CALL_DELTA = "tool_call_delta"
    TOOL_CALL_END = "tool_call_end"
    TOOL_RESULT = "tool_result"
    STATUS_UPDATE = "status_update"
    SESSION_REKEYED = "session_rekeyed"
    SESSION_ERROR = "session_error"
    DONE = "done"
    MESSAGE_QUEUED = "message_queued"
    MESSAGE_EDITED = "message_edited"
    MESSAGE_TAKEN_BACK = "message_taken_back"
    MESSAGE_TYPED = "message_typed"
    MESSAGE_SENT = "message_sent"
    KEYS = "keys"
    ACTION = "action"
    ACTION_TYPED = "action_typed"
    DIALOG_DISMISSED = "dialog_dismissed"
    LIMIT_RESUME = "limit_resume"
    LIMIT_DISMISSED = "limit_dismissed"
    SESSION_REMOVED = "session_removed"
    RULE_ADDED = "rule_added"
    RULE_REMOVED = "rule_removed"
    INVITATION_ADDED = "invitation_added"
    INVITATION_REMOVED = "invitation_removed"
    DEVICE_ADDED = "device_added"
    DEVICE_REMOVED = "device_removed"
    SCREEN = "screen"

    __str__ = str.__str__


# Text that is being written: each event has all of it so far.
STREAMED_TEXTS = (EventType.TEXT_DELTA, EventType.THINKING)


class _OfSession(TypedDict):
    sessionId: str


class TextDelta(_OfSession, total=False):
    """Text as it is written: all of it, and the new part where it only grew."""

    text: str
    delta: str
    messageId: str
    origin: str


class MessagesRemoved(_OfSession):
    """Messages that left the conversation, with their tool calls, because the user rewound it."""

    messageIds: list[str]
    toolCallIds: list[str]


class ToolCallEvent(_OfSession, total=False):
    """A tool call that started or ended, or its result."""

    toolCallId: str
    toolName: str
    input: dict[str, Any]
    status: str
    text: str
    diff: str
    messageId: str
    origin: str


class ToolCallDelta(_OfSession, total=False):
    """A further piece of a call's input or running output."""

    toolCallId: str
    messageId: str
    delta: str


class StatusUpdate(_OfSession, total=False):
    """What the CLI reports about its model, context and conversation."""

    model: str
    summary: str
    contextTokens: int
    contextWindow: int
    contextPercent: float
    tokens: dict[str, Any]
    cost: float


class ErrorEvent(_OfSession, total=False):
    """An error of the CLI; `endsAt` is when a usage limit ends."""

    error: str
    code: str
    messageId: str
    endsAt: str
    continues: bool


class DoneEvent(_OfSession):
    """The end of a turn."""


class SessionRekeyed(_OfSession, total=False):
    """The CLI's own id of the conversation became known or changed."""

    cliSessionId: str
    previous: str


class QueueUpdate(_OfSession):
    """The queued messages."""

    queue: list[dict[str, Any]]


class MessageChange(_OfSession, total=False):
    """A step of a message on its way to the CLI."""

    messageId: str
    message: str
    by: str
    device: str
    steps: list[dict[str, Any]]
    withheld: list[dict[str, Any]]
    reason: str


class SessionAction(_OfSession, total=False):
    """What was done to a session, by whom, with which keys."""

    by: str
    device: str
    action: str
    message: str
    keys: list[str]
    characters: int
    dialog: str
    option: str
    steps: list[dict[str, Any]]
    withheld: list[dict[str, Any]]
    reason: str


class SessionRemoved(_OfSession):
    """A session left the list."""


class RuleChange(TypedDict):
    """A rule that was added or removed, and by whom."""

    by: str
    device: str
    rule: dict[str, Any]


class _Access(TypedDict):
    by: str
    device: str
    name: str
    role: str


class AccessChange(_Access, total=False):
    """Somebody who was invited or let in, or is no more, and by which device."""

    expiresAt: str


# The type of each event's data; a value's data is its wire form, with `sessionId`.
EVENT_DATA: Mapping[EventType, type] = {
    EventType.SNAPSHOT: Snapshot,
    EventType.APPROVAL_REQUIRED: Prompt,
    EventType.QUESTION_PROMPT: Prompt,
    EventType.PROMPT_UPDATED: Prompt,
    EventType.PROMPT_RESOLVED: Prompt,
    EventType.SESSION_STATUS: Session,
    EventType.QUEUE_UPDATE: QueueUpdate,
    EventType.TEXT_DELTA: TextDelta,
    EventType.THINKING: TextDelta,
    EventType.MESSAGE: Message,
    EventType.MESSAGES_REMOVED: MessagesRemoved,
    EventType.TOOL_CALL_START: ToolCallEvent,
    EventType.TOOL_CALL_DELTA: ToolCallDelta,
    EventType.TOOL_CALL_END: ToolCallEvent,
    EventType.TOOL_RESULT: ToolCallEvent,
    EventType.STATUS_UPDATE: StatusUpdate,
    EventType.SESSION_REKEYED: SessionRekeyed,
    EventType.SESSION_ERROR: ErrorEvent,
    EventType.DONE: DoneEvent,
    EventType.MESSAGE_QUEUED: MessageChange,
    EventType.MESSAGE_EDITED: MessageChange,
    EventType.MESSAGE_TAKEN_BACK: MessageChange,
    EventType.MESSAGE_TYPED: MessageChange,
    EventType.MESSAGE_SENT: MessageChange,
    EventType.KEYS: SessionAction,
    EventType.ACTION: SessionAction,
    EventType.ACTION_TYPED: SessionAction,
    EventType.DIALOG_DISMISSED: SessionAction,
    EventType.LIMIT_RESUME: SessionAction,
    EventType.LIMIT_DISMISSED: SessionAction,
    EventType.SESSION_REMOVED: SessionRemoved,
    EventType.RULE_ADDED: RuleChange,
    EventType.RULE_REMOVED: RuleChange,
    EventType.INVITATION_ADDED: AccessChange,
    EventType.INVITATION_REMOVED: AccessChange,
    EventType.DEVICE_ADDED: AccessChange,
    EventType.DEVICE_REMOVED: AccessChange,
    EventType.SCREEN: Screen,
}
