"""The audit log."""

from __future__ import annotations

from clawtap_core.model import JournalPage, LatestEvents, Role
from clawtap_core.schemas import (
    JournalPageSchema,
    LatestEventsQuery,
    LatestEventsQuerySchema,
    LatestEventsSchema,
    PageQuery,
    PageQuerySchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("journal", __name__, "Everything that happened")


@blueprint.route("GET", "/journal", query=PageQuerySchema, response=JournalPageSchema)
@requires(Role.WATCH)
def journal(page: PageQuery) -> JournalPage:
    """Return a page of one machine's journal, oldest first."""
    return transport().journal(after=page.after, limit=page.limit, session_id=page.session_id)


@blueprint.route(
    "GET", "/journal/latest", query=LatestEventsQuerySchema, response=LatestEventsSchema
)
@requires(Role.WATCH)
def latest_events(query: LatestEventsQuery) -> LatestEvents:
    """Return the latest events of all machines, newest first."""
    return transport().latest_events(
        types=tuple(filter(None, query.types.split(","))),
        session_id=query.session_id,
        cursor=query.cursor,
        limit=query.limit,
    )
