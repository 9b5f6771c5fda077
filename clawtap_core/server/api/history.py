"""Conversations that CLIs have stored."""

from __future__ import annotations

from clawtap_core.model import HistoryPage, Role, StoredConversation
from clawtap_core.schemas import (
    HistoryPageSchema,
    HistoryQuery,
    HistoryQuerySchema,
    StoredConversationSchema,
    StoredQuery,
    StoredQuerySchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("history", __name__, "Stored conversations")


@blueprint.route("GET", "/history", query=HistoryQuerySchema, response=HistoryPageSchema)
@requires(Role.WATCH)
def history(query: HistoryQuery) -> HistoryPage:
    """Return the stored conversations of all machines, newest first."""
    return transport().history(
        adapter=query.adapter, cwd=query.cwd, cursor=query.cursor, limit=query.limit
    )


@blueprint.route(
    "GET",
    "/history/<adapter>/<cli_session_id>",
    query=StoredQuerySchema,
    response=StoredConversationSchema,
)
@requires(Role.WATCH)
def stored(query: StoredQuery, adapter: str, cli_session_id: str) -> StoredConversation:
    """Return a stored conversation: its last messages, or those before, after or around an id."""
    return transport().stored(
        adapter,
        cli_session_id,
        before=query.before,
        after=query.after,
        around=query.around,
        limit=query.limit,
    )
