"""Answers to prompts; each returns once its delivery is confirmed."""

from __future__ import annotations

from clawtap_core.errors import NotFound
from clawtap_core.model import Prompt, Response
from clawtap_core.schemas import (
    AnsweredSchema,
    AnswersBodySchema,
    ApproveBodySchema,
    DenyBodySchema,
    ExpandBodySchema,
    PromptSchema,
    RespondBodySchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport

blueprint = Blueprint("answers", __name__, "Answers to prompts")


@blueprint.route(
    "POST", "/sessions/<session_id>/approve", body=ApproveBodySchema, response=AnsweredSchema
)
def approve(response: Response, session_id: str) -> Prompt:
    """Approve: by the option that allows once, or by `option`; `decision: "deny"` denies."""
    return _deliver(session_id, response, "Unknown approval request")


@blueprint.route(
    "POST", "/sessions/<session_id>/deny", body=DenyBodySchema, response=AnsweredSchema
)
def deny(response: Response, session_id: str) -> Prompt:
    """Deny, with an optional reason."""
    return _deliver(session_id, response, "Unknown approval request")


@blueprint.route(
    "POST", "/sessions/<session_id>/submit-answers", body=AnswersBodySchema, response=AnsweredSchema
)
def submit_answers(response: Response, session_id: str) -> Prompt:
    """Answer every question of a prompt at once."""
    return _deliver(session_id, response, "No pending question")


@blueprint.route(
    "POST", "/sessions/<session_id>/answer", body=AnswersBodySchema, response=AnsweredSchema
)
def answer(response: Response, session_id: str) -> Prompt:
    """The same as submit-answers."""
    return _deliver(session_id, response, "No pending question")


@blueprint.route(
    "POST", "/sessions/<session_id>/respond", body=RespondBodySchema, response=AnsweredSchema
)
def respond(response: Response, session_id: str) -> Prompt:
    """Answer a prompt of any kind with a complete response."""
    return _deliver(session_id, response, "No pending prompt")


@blueprint.route(
    "POST", "/sessions/<session_id>/expand", body=ExpandBodySchema, response=PromptSchema
)
def expand(request_id: str, session_id: str) -> Prompt:
    """Read the options that a scrolling list hides."""
    return transport().expand(session_id, request_id)


def _deliver(session_id: str, response: Response, unknown: str) -> Prompt:
    agent = transport()
    try:
        return agent.respond(session_id, response)
    except NotFound as error:
        # Raise NotFound for the session if it is that which is missing.
        agent.session(session_id)
        raise NotFound(unknown, code=error.code, details=error.details) from error
