"""The wire form of stored conversations."""

from __future__ import annotations

from marshmallow import fields

from clawtap_core.model import StoredConversation, StoredSession
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.fields import Instant, Text
from clawtap_core.schemas.stream import MessagePageSchema


class StoredSessionSchema(ValueSchema):
    """A conversation that a CLI keeps, and the session that runs it now, if any."""

    makes = StoredSession
    adapter = Text(required=True)
    cli_session_id = Text(required=True)
    last_activity = Instant(required=True)
    cwd = Text()
    title = Text()
    started_at = Instant()
    session_id = Text()


class StoredConversationSchema(ValueSchema):
    """A stored session, and a piece of its conversation."""

    makes = StoredConversation
    session = fields.Nested(StoredSessionSchema, required=True)
    page = fields.Nested(MessagePageSchema, required=True)
