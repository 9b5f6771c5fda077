"""Interrupt a running CLI, switch its mode or model, or resume it after a usage limit."""

from __future__ import annotations

from clawtap_core.model import Session
from clawtap_core.schemas import ModeBodySchema, ModelBodySchema, ResumeBodySchema, SessionSchema
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


@blueprint.route(
    "POST", "/sessions/<session_id>/resume-later", body=ResumeBodySchema, response=SessionSchema
)
def resume_later(message: str, session_id: str) -> Session:
    """Send a message once, when the session's usage limit has ended; 409 if that is unknown."""
    return transport().resume_later(session_id, message)


@blueprint.route("DELETE", "/sessions/<session_id>/resume-later", response=SessionSchema)
def cancel_resume(session_id: str) -> Session:
    """Send nothing when the session's usage limit has ended."""
    return transport().resume_later(session_id, None)


@blueprint.route("DELETE", "/sessions/<session_id>/limit", response=SessionSchema)
def dismiss_limit(session_id: str) -> Session:
    """Treat the session's usage limit as ended, and send what is queued."""
    return transport().dismiss_limit(session_id)
