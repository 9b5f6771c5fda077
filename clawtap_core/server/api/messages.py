"""The messages of a session: what was said, sending one, and those that wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawtap_core.model import QueuedMessage
from clawtap_core.schemas import (
    MessageBodySchema,
    MessagePageSchema,
    MessagesQuery,
    MessagesQuerySchema,
    QueuedMessageSchema,
    SentSchema,
)
from clawtap_core.server.api.base import OK, Blueprint, OkSchema
from clawtap_core.server.context import transport
from clawtap_core.transport import MessagePage, Sent

blueprint = Blueprint("messages", __name__, "Messages of and to a session")


@blueprint.serve(
    "GET",
    "/sessions/<session_id>/messages",
    query=MessagesQuerySchema,
    gives=MessagePageSchema,
)
def messages(query: MessagesQuery, session_id: str) -> MessagePage:
    """The last messages of the conversation, those before one id, or those after one."""
    return transport().messages(
        session_id, before=query.before, after=query.after, limit=query.limit
    )


@blueprint.serve(
    "POST", "/sessions/<session_id>/message", takes=MessageBodySchema, gives=SentSchema, also=202
)
def message(text: str, session_id: str) -> tuple[Sent, int]:
    """Send a message; 202 when it waits until the composer is idle and empty."""
    sent = transport().message(session_id, text)
    return sent, 202 if sent.status == "queued" else 200


@blueprint.serve("GET", "/sessions/<session_id>/queue", gives=QueuedMessageSchema(many=True))
def queue(session_id: str) -> Sequence[QueuedMessage]:
    """What is queued."""
    return transport().queue(session_id)


@blueprint.serve(
    "PATCH",
    "/sessions/<session_id>/queue/<message_id>",
    takes=MessageBodySchema,
    gives=QueuedMessageSchema,
)
def edit_queued(text: str, session_id: str, message_id: str) -> QueuedMessage:
    """Change a queued message."""
    return transport().edit_queued(session_id, message_id, text)


@blueprint.serve("DELETE", "/sessions/<session_id>/queue/<message_id>", gives=OkSchema)
def take_back(session_id: str, message_id: str) -> dict[str, Any]:
    """Take a queued message back."""
    transport().take_back(session_id, message_id)
    return OK
