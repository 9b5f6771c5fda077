"""The wire form of sessions, panes, folders and messages."""

from __future__ import annotations

from marshmallow import fields

from clawtap_core.model import (
    Attachment,
    Folder,
    LaunchRequest,
    PaneInfo,
    QueuedMessage,
    Sent,
    Session,
    SessionState,
)
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.fields import Instant, Text


class SessionSchema(ValueSchema):
    """One running CLI."""

    makes = Session
    id = Text(required=True)
    adapter = Text(required=True)
    channel = Text(required=True)
    origin = Text(required=True)
    cwd = Text(required=True)
    title = Text(required=True)
    state = fields.Enum(SessionState, by_value=Text())
    mode = Text()
    model = Text()
    pane = Text()
    cli_session_id = Text()
    cli_version = Text()
    detail = Text()
    queued = fields.Integer(strict=True)
    pending = fields.Integer(strict=True)
    created_at = Instant(required=True)
    last_activity = Instant(required=True)


class AttachmentSchema(ValueSchema):
    """A file attached to a session."""

    makes = Attachment
    id = Text(required=True)
    name = Text(required=True)
    size = fields.Integer(required=True, strict=True)
    path = Text(required=True)


class QueuedMessageSchema(ValueSchema):
    """A message that waits for an idle, empty composer, with its files."""

    makes = QueuedMessage
    sparse = frozenset({"attachments"})
    id = Text(required=True)
    session_id = Text(required=True)
    message = Text(required=True)
    queued_at = Instant(required=True)
    attachments = fields.List(fields.Nested(AttachmentSchema))


class SentSchema(ValueSchema):
    """The outcome of a message."""

    makes = Sent
    status = Text(required=True)
    message_id = Text()


class PaneInfoSchema(ValueSchema):
    """A running pane, and the adapter that knows its program."""

    makes = PaneInfo
    pane = Text(required=True)
    command = Text(required=True)
    cwd = Text(required=True)
    title = Text(required=True)
    tmux_session = Text(required=True)
    cols = fields.Integer(required=True, strict=True)
    rows = fields.Integer(required=True, strict=True)
    adapter = Text()
    session_id = Text()


class FolderSchema(ValueSchema):
    """A folder in which sessions ran."""

    makes = Folder
    path = Text(required=True)
    last_used = Instant(required=True)
    adapters = fields.List(Text())


class LaunchRequestSchema(ValueSchema):
    """What a user asked to start."""

    makes = LaunchRequest
    sparse = frozenset({"args"})
    adapter = Text(required=True)
    cwd = Text(required=True)
    message = Text()
    model = Text()
    permission_mode = Text()
    effort = Text()
    channel = Text()
    resume = Text()
    args = fields.List(Text())
    cols = fields.Integer(strict=True)
    rows = fields.Integer(strict=True)
