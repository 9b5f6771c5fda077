"""Interrupt a running CLI, or switch its mode or model."""

from __future__ import annotations

from clawtap_core.model import Session
from clawtap_core.schemas import ModeBodySchema, ModelBodySchema, SessionSchema
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport

blueprint = Blueprint("controls", __name__, "Interrupt, mode, model")


@blueprint.route("POST", "/sessions/<session_id>/interrupt", response=SessionSchema)
def interrupt(session_id: str) -> Session:
    """Interrupt a busy session; 409 when it is not busy."""
    return transport().interrupt(session_id)


@blueprint.route(
    "POST", "/sessions/<session_id>/permission-mode", body=ModeBodySchema, response=SessionSchema
)
def permission_mode(mode: str, session_id: str) -> Session:
    """Switch the permission mode; the reply holds the mode on screen."""
    return transport().permission_mode(session_id, mode)


@blueprint.route(
    "POST", "/sessions/<session_id>/model", body=ModelBodySchema, response=SessionSchema
)
def model(name: str, session_id: str) -> Session:
    """Switch the model."""
    return transport().model(session_id, name)
