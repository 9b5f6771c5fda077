"""The event streams."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, request
from marshmallow import fields

from clawtap_core.model import Role
from clawtap_core.schemas import BodySchema
from clawtap_core.server import sse
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import device, still_allowed, transport
from clawtap_core.server.request_input import MACHINE
from clawtap_core.server.roles import requires

blueprint = Blueprint("events", __name__, "Server-sent events")
_STREAM = {"type": "string", "description": "server-sent events, each a `StreamEvent`"}


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """Where to continue, and what to add."""

    after: str | None = None
    render: str | None = None
    screen: bool = False
    texts: str | None = None


class EventsQuerySchema(BodySchema):
    """The query of an event stream; a Last-Event-ID header overrides `after`."""

    makes = EventsQuery
    after = fields.String(
        metadata={"description": "the id of an event, EPOCH-SEQ, to continue after"}
    )
    render = fields.String(metadata={"description": "`html` adds the page's own partial"})
    screen = fields.Boolean(metadata={"description": "adds `screen` events (one session only)"})
    texts = fields.String(
        metadata={"description": "the only session whose text being written is sent; empty: none"}
    )


@blueprint.route(
    "GET", "/events", query=EventsQuerySchema, response=_STREAM, content_type="text/event-stream"
)
@requires(Role.WATCH)
def events(query: EventsQuery) -> Response:
    """Stream the events of all sessions."""
    return _stream(query, None)


@blueprint.route(
    "GET",
    "/sessions/<session_id>/events",
    query=EventsQuerySchema,
    response=_STREAM,
    content_type="text/event-stream",
)
@requires(Role.WATCH)
def session_events(query: EventsQuery, session_id: str) -> Response:
    """Stream the events of one session."""
    transport().session(session_id)
    return _stream(query, session_id)


def _stream(query: EventsQuery, session_id: str | None) -> Response:
    return sse.respond(
        sse.Subscription(
            transport(),
            still_allowed(),
            request.headers.get("Last-Event-ID") or query.after,
            session_id,
            screens=query.screen and session_id is not None,
            render=device() if query.render == "html" else None,
            texts=query.texts,
            shared=session_id is None and MACHINE not in request.args,
        )
    )
