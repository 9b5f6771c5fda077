"""The messages of a session: read, send, and change those in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import request

from clawtap_core.errors import attachment_too_large
from clawtap_core.model import (
    MAX_ATTACHMENT_BYTES,
    Attachment,
    MessagePage,
    QueuedMessage,
    Role,
    Sent,
)
from clawtap_core.schemas import (
    AttachmentSchema,
    FileQuery,
    FileQuerySchema,
    MessageBodySchema,
    MessagePageSchema,
    MessagesQuery,
    MessagesQuerySchema,
    MessageToSend,
    QueuedMessageSchema,
    SendBodySchema,
    SentSchema,
)
from clawtap_core.server.api.blueprint import OK, Blueprint, OkSchema
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("messages", __name__, "Messages of and to a session")


@blueprint.route(
    "GET",
    "/sessions/<session_id>/messages",
    query=MessagesQuerySchema,
    response=MessagePageSchema,
)
@requires(Role.WATCH)
def messages(query: MessagesQuery, session_id: str) -> MessagePage:
    """Return the last messages of the conversation, or those before or after an id."""
    return transport().messages(
        session_id, before=query.before, after=query.after, limit=query.limit
    )


@blueprint.route(
    "POST",
    "/sessions/<session_id>/message",
    body=SendBodySchema,
    response=SentSchema,
    alt_status=202,
)
@requires(Role.ANSWER)
def message(body: MessageToSend, session_id: str) -> tuple[Sent, int]:
    """Send a message; 202 when it waits until the composer is idle and empty."""
    sent = transport().message(session_id, body.message, body.attachments)
    return sent, 202 if sent.status == "queued" else 200


@blueprint.route(
    "POST",
    "/sessions/<session_id>/files",
    query=FileQuerySchema,
    response=AttachmentSchema,
    status=201,
    requestBody={"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}},
)
@requires(Role.ANSWER)
def attach(query: FileQuery, session_id: str) -> Attachment:
    """Store a file, the bytes of the body, to send with a message."""
    request.max_content_length = MAX_ATTACHMENT_BYTES + 1
    if (request.content_length or 0) > MAX_ATTACHMENT_BYTES:
        raise attachment_too_large(MAX_ATTACHMENT_BYTES)
    return transport().attach(session_id, query.name, request.get_data(cache=False))


@blueprint.route("DELETE", "/sessions/<session_id>/files/<attachment_id>", response=OkSchema)
@requires(Role.ANSWER)
def detach(session_id: str, attachment_id: str) -> dict[str, Any]:
    """Delete a file that no queued message needs."""
    transport().detach(session_id, attachment_id)
    return OK


@blueprint.route("GET", "/sessions/<session_id>/queue", response=QueuedMessageSchema(many=True))
@requires(Role.WATCH)
def queue(session_id: str) -> Sequence[QueuedMessage]:
    """Return the queued messages."""
    return transport().queue(session_id)


@blueprint.route(
    "PATCH",
    "/sessions/<session_id>/queue/<message_id>",
    body=MessageBodySchema,
    response=QueuedMessageSchema,
)
@requires(Role.ANSWER)
def edit_queued(text: str, session_id: str, message_id: str) -> QueuedMessage:
    """Change a queued message."""
    return transport().edit_queued(session_id, message_id, text)


@blueprint.route("DELETE", "/sessions/<session_id>/queue/<message_id>", response=OkSchema)
@requires(Role.ANSWER)
def take_back(session_id: str, message_id: str) -> dict[str, Any]:
    """Remove a queued message."""
    transport().take_back(session_id, message_id)
    return OK
