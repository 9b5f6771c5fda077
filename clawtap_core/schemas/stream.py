"""The wire form of events, messages, screens and the snapshot."""

from __future__ import annotations

from marshmallow import fields, validate

from clawtap_core.model import Block, Event, JournalPage, Message, MessagePage, Screen, Snapshot
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.fields import Instant, Json, Text
from clawtap_core.schemas.prompt import PromptSchema
from clawtap_core.schemas.session import QueuedMessageSchema, SessionSchema


class BlockSchema(ValueSchema):
    """A piece of a message."""

    makes = Block
    sparse = frozenset({"text"})
    type = Text(required=True)
    text = Text()
    tool_call_id = Text()
    tool_name = Text()
    input = Json()
    status = Text()
    diff = Text()


class MessageSchema(ValueSchema):
    """One message of a conversation."""

    makes = Message
    id = Text(required=True)
    role = Text(required=True)
    content = fields.List(fields.Nested(BlockSchema), required=True)
    at = Instant()
    notice = Text()
    origin = Text()


class MessagePageSchema(ValueSchema):
    """A piece of a conversation, oldest first; `more` if older messages exist."""

    makes = MessagePage
    messages = fields.List(fields.Nested(MessageSchema), required=True)
    more = fields.Boolean()
    status = Json()


class EventSchema(ValueSchema):
    """An event."""

    makes = Event
    seq = fields.Integer(strict=True)
    type = Text(required=True)
    at = Instant(required=True)
    session_id = Text()
    data = Json()


class JournalPageSchema(ValueSchema):
    """A piece of the journal, oldest first."""

    makes = JournalPage
    events = fields.List(fields.Nested(EventSchema), required=True)
    last = fields.Integer(required=True, strict=True)


class SnapshotSchema(ValueSchema):
    """The whole current state, and where the event stream continues."""

    makes = Snapshot
    cursor = Text(required=True)
    sessions = fields.List(fields.Nested(SessionSchema), required=True)
    prompts = fields.List(fields.Nested(PromptSchema), required=True)
    queue = fields.List(fields.Nested(QueuedMessageSchema), required=True)


class ScreenSchema(ValueSchema):
    """A pane's screen: `text` to read, `captured` the rows with their escape sequences."""

    makes = Screen
    revision = fields.Integer(strict=True)
    cols = fields.Integer(strict=True)
    rows = fields.Integer(strict=True)
    cursor = fields.List(fields.Integer(strict=True), validate=validate.Length(equal=2))
    cursor_visible = fields.Boolean()
    title = Text()
    alternate = fields.Boolean()
    text = Text(dump_only=True)
    captured = fields.List(Text(), required=True)
