"""Sessions: list, start, adopt, rename, end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from marshmallow import Schema, fields

from clawtap_core.model import LaunchRequest, Role, Session
from clawtap_core.schemas import (
    Adoption,
    RestorationSchema,
    RestoreBodySchema,
    SessionChange,
    SessionChangeSchema,
    SessionSchema,
    StartBodySchema,
    ToRestore,
)
from clawtap_core.server.api.blueprint import OK, Blueprint, OkSchema
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("sessions", __name__, "Running CLIs")


class RestoredSchema(Schema):
    """The outcome for each lost session."""

    sessions = fields.List(fields.Nested(RestorationSchema), required=True)


@blueprint.route("GET", "/sessions", response=SessionSchema(many=True))
@requires(Role.WATCH)
def sessions() -> Sequence[Session]:
    """Return every session, newest activity first."""
    return transport().sessions()


@blueprint.route("POST", "/sessions", body=StartBodySchema, response=SessionSchema, status=201)
def start(request: LaunchRequest | Adoption) -> Session:
    """Start a CLI in a pane of its own, or adopt a pane that runs one."""
    if isinstance(request, Adoption):
        return transport().adopt(request.pane, request.adapter)
    return transport().start(request)


@blueprint.route("POST", "/sessions/restore", body=RestoreBodySchema, response=RestoredSchema)
def restore(body: ToRestore) -> dict[str, Any]:
    """Restore lost sessions, or say which can be; 200 whatever the outcomes."""
    return {"sessions": transport().restore(body.sessions, dry_run=body.dry_run)}


@blueprint.route("GET", "/sessions/<session_id>", response=SessionSchema)
@requires(Role.WATCH)
def session(session_id: str) -> Session:
    """Return a session."""
    return transport().session(session_id)


@blueprint.route(
    "PATCH", "/sessions/<session_id>", body=SessionChangeSchema, response=SessionSchema
)
def update(change: SessionChange, session_id: str) -> Session:
    """Rename a session, or take it off the list or put it back."""
    if change.archived is None:
        return transport().rename(session_id, change.title or "")
    if change.title is not None:
        transport().rename(session_id, change.title)
    return transport().archive(session_id, change.archived)


@blueprint.route("DELETE", "/sessions/<session_id>", response=OkSchema)
def end(session_id: str) -> dict[str, Any]:
    """End a launched session, or release an adopted one."""
    transport().end(session_id)
    return OK
