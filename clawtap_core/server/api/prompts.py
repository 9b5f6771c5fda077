"""Open prompts, single prompts, and prompts of other programs."""

from __future__ import annotations

from collections.abc import Sequence

from flask import request

from clawtap_core.errors import ErrorCode, Unauthorized
from clawtap_core.model import Prompt, Role
from clawtap_core.schemas import (
    AnsweredSchema,
    Ask,
    AskBodySchema,
    AskedPromptSchema,
    ExtendBodySchema,
    More,
    PromptSchema,
    WaitQuerySchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import still_allowed, transport
from clawtap_core.server.hook_receiver import client_disconnected
from clawtap_core.server.roles import requires

blueprint = Blueprint("prompts", __name__, "Questions that CLIs and other programs ask")


@blueprint.route("GET", "/pending", response=PromptSchema(many=True))
@requires(Role.WATCH)
def pending() -> Sequence[Prompt]:
    """Return every open prompt, oldest first."""
    return transport().pending()


@blueprint.route("GET", "/sessions/<session_id>/pending", response=PromptSchema(many=True))
@requires(Role.WATCH)
def pending_of(session_id: str) -> Sequence[Prompt]:
    """Return the open prompts of a session, oldest first."""
    runtime = transport()
    runtime.session(session_id)
    return runtime.pending(session_id)


@blueprint.route(
    "POST",
    "/prompts",
    body=AskBodySchema,
    query=WaitQuerySchema,
    response=AskedPromptSchema,
    status=201,
)
def ask(wait: float | None, body: Ask) -> Prompt:
    """Ask a question; with `wait`, reply once it is answered or that many seconds have passed."""
    runtime = transport()
    prompt = runtime.ask(body.form, asker=body.asker, seconds=body.seconds, default=body.default)
    return prompt if wait is None else _wait(prompt.request_id, wait)


@blueprint.route("GET", "/prompts/<request_id>", query=WaitQuerySchema, response=AskedPromptSchema)
def prompt(wait: float | None, request_id: str) -> Prompt:
    """Return a prompt by requestId or toolCallId; with `wait`, to the program that asked."""
    return transport().prompt(request_id) if wait is None else _wait(request_id, wait)


@blueprint.route(
    "POST", "/prompts/<request_id>/extend", body=ExtendBodySchema, response=PromptSchema
)
@requires(Role.ANSWER)
def extend(more: More, request_id: str) -> Prompt:
    """Give a prompt more time."""
    return transport().extend(request_id, more.seconds)


@blueprint.route("DELETE", "/prompts/<request_id>", response=AnsweredSchema)
def withdraw(request_id: str) -> Prompt:
    """Withdraw a program's prompt; a CLI's prompt cannot be withdrawn."""
    return transport().withdraw(request_id)


def _wait(request_id: str, seconds: float) -> Prompt:
    allowed, gone = still_allowed(), client_disconnected(request.environ)
    prompt = transport().wait(request_id, seconds, listening=lambda: allowed() and not gone())
    # A device that was revoked meanwhile gets no answer, whatever its kind.
    if not allowed():
        raise Unauthorized(
            "this token is not known, or it was revoked", code=ErrorCode.UNKNOWN_TOKEN
        )
    return prompt
