"""Conversations that CLIs have stored."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core.model import StoredConversation, StoredSession
from clawtap_core.schemas import (
    HistoryQuery,
    HistoryQuerySchema,
    MessagesQuery,
    MessagesQuerySchema,
    StoredConversationSchema,
    StoredSessionSchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport

blueprint = Blueprint("history", __name__, "Stored conversations")


@blueprint.route(
    "GET", "/history", query=HistoryQuerySchema, response=StoredSessionSchema(many=True)
)
def history(query: HistoryQuery) -> Sequence[StoredSession]:
    """Return every stored conversation, newest first."""
    return transport().history(adapter=query.adapter, cwd=query.cwd, limit=query.limit)


@blueprint.route(
    "GET",
    "/history/<adapter>/<cli_session_id>",
    query=MessagesQuerySchema,
    response=StoredConversationSchema,
)
def stored(query: MessagesQuery, adapter: str, cli_session_id: str) -> StoredConversation:
    """Return a stored conversation with its last messages, or those before an id."""
    return transport().stored(adapter, cli_session_id, before=query.before, limit=query.limit)
