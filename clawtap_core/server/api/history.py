"""Conversations that CLIs have stored."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core.model import HistoryPage, Role, StoredConversation, StoredSession
from clawtap_core.schemas import (
    HistoryPageQuery,
    HistoryPageQuerySchema,
    HistoryPageSchema,
    HistoryQuery,
    HistoryQuerySchema,
    StoredConversationSchema,
    StoredQuery,
    StoredQuerySchema,
    StoredSessionSchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("history", __name__, "Stored conversations")


@blueprint.route(
    "GET", "/history", query=HistoryQuerySchema, response=StoredSessionSchema(many=True)
)
@requires(Role.WATCH)
def history(query: HistoryQuery) -> Sequence[StoredSession]:
    """Return the latest stored conversations of all machines that can be reached, newest first."""
    page = transport().history(adapter=query.adapter, cwd=query.cwd, limit=query.limit)
    return page.sessions


@blueprint.route("GET", "/history/page", query=HistoryPageQuerySchema, response=HistoryPageSchema)
@requires(Role.WATCH)
def history_page(query: HistoryPageQuery) -> HistoryPage:
    """Return a page of the stored conversations of all machines, and whose are missing."""
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
