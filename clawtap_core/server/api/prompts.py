"""Prompts that wait, and single ones."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core.model import Prompt
from clawtap_core.schemas import PromptSchema
from clawtap_core.server.api.base import Blueprint
from clawtap_core.server.context import transport

blueprint = Blueprint("prompts", __name__, "Questions that CLIs ask")


@blueprint.serve("GET", "/pending", gives=PromptSchema(many=True))
def pending() -> Sequence[Prompt]:
    """Every prompt that waits, oldest first."""
    return transport().pending()


@blueprint.serve("GET", "/sessions/<session_id>/pending", gives=PromptSchema(many=True))
def pending_of(session_id: str) -> Sequence[Prompt]:
    """A session's prompts that wait, oldest first."""
    agent = transport()
    agent.session(session_id)
    return agent.pending(session_id)


@blueprint.serve("GET", "/prompts/<request_id>", gives=PromptSchema)
def prompt(request_id: str) -> Prompt:
    """One prompt by its requestId or toolCallId, ended or not."""
    return transport().prompt(request_id)
