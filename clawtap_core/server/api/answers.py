"""Answers to prompts; each returns once its delivery is confirmed."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from clawtap_core.errors import ClawTapError, ErrorCode, NotFound
from clawtap_core.model import Prompt, Response, Role
from clawtap_core.schemas import (
    AnsweredSchema,
    AnswersBodySchema,
    ApproveBodySchema,
    BatchBodySchema,
    DenyBodySchema,
    ExpandBodySchema,
    PromptSchema,
    RespondBodySchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.batch import BatchDecision, BatchResult, decide_all
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("answers", __name__, "Answers to prompts")


@blueprint.route(
    "POST", "/sessions/<session_id>/approve", body=ApproveBodySchema, response=AnsweredSchema
)
@requires(Role.ANSWER)
def approve(response: Response, session_id: str) -> Prompt:
    """Approve: by the option that allows once, or by `option`; `decision: "deny"` denies."""
    return _deliver(session_id, response, "Unknown approval request")


@blueprint.route(
    "POST", "/sessions/<session_id>/deny", body=DenyBodySchema, response=AnsweredSchema
)
@requires(Role.ANSWER)
def deny(response: Response, session_id: str) -> Prompt:
    """Deny, with an optional reason."""
    return _deliver(session_id, response, "Unknown approval request")


@blueprint.route(
    "POST", "/sessions/<session_id>/submit-answers", body=AnswersBodySchema, response=AnsweredSchema
)
@requires(Role.ANSWER)
def submit_answers(response: Response, session_id: str) -> Prompt:
    """Answer every question of a prompt at once."""
    return _deliver(session_id, response, "No pending question")


@blueprint.route(
    "POST", "/sessions/<session_id>/answer", body=AnswersBodySchema, response=AnsweredSchema
)
@requires(Role.ANSWER)
def answer(response: Response, session_id: str) -> Prompt:
    """The same as submit-answers."""
    return _deliver(session_id, response, "No pending question")


@blueprint.route(
    "POST", "/sessions/<session_id>/respond", body=RespondBodySchema, response=AnsweredSchema
)
@requires(Role.ANSWER)
def respond(response: Response, session_id: str) -> Prompt:
    """Answer a prompt of any kind with a complete response."""
    return _deliver(session_id, response, "No pending prompt")


class BatchResultSchema(Schema):
    """The outcome of answering one prompt."""

    request_id = fields.String(data_key="requestId", required=True)
    ok = fields.Boolean(required=True)
    state = fields.String()
    error = fields.String()
    code = fields.String()


class BatchResultsSchema(Schema):
    """The outcome for each prompt; `ok`: all were answered."""

    ok = fields.Boolean(required=True)
    results = fields.List(fields.Nested(BatchResultSchema), required=True)


@blueprint.route("POST", "/prompts/decide", body=BatchBodySchema, response=BatchResultsSchema)
@requires(Role.ANSWER)
def decide(body: dict[str, Any]) -> dict[str, Any]:
    """Approve or deny several prompts of one tool; each is checked and delivered by itself."""
    decision = "deny" if body["decision"] == "deny" else "approve"
    seen = frozenset(body.get("seen", ()))
    batch = BatchDecision(tuple(body["request_ids"]), decision, body.get("reason"), seen)
    results = [_result(each) for each in decide_all(transport(), batch)]
    return {"ok": all(result["ok"] for result in results), "results": results}


def _result(result: BatchResult) -> dict[str, Any]:
    if result.prompt:
        state = result.prompt.state.value
        return {"request_id": result.request_id, "ok": True, "state": state}
    error = result.error or ClawTapError("no answer")
    return {
        "request_id": result.request_id,
        "ok": False,
        "error": error.message,
        "code": error.code,
    }


@blueprint.route(
    "POST", "/sessions/<session_id>/expand", body=ExpandBodySchema, response=PromptSchema
)
@requires(Role.ANSWER)
def expand(request_id: str, session_id: str) -> Prompt:
    """Read the options that a scrolling list hides."""
    return transport().expand(session_id, request_id)


def _deliver(session_id: str, response: Response, unknown: str) -> Prompt:
    runtime = transport()
    try:
        return runtime.respond(session_id, response)
    except NotFound as error:
        # Raise NotFound for the session if it is that which is missing.
        runtime.session(session_id)
        if error.code != ErrorCode.PROMPT_NOT_FOUND:
            raise
        raise NotFound(unknown, code=error.code, details=error.details) from error
