"""The route for reports of CLI hooks."""

from __future__ import annotations

from typing import Any

from flask import Response, jsonify, request

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.model import HookCall
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.auth import private_socket
from clawtap_core.server.context import server
from clawtap_core.server.hook_receiver import LIMIT, client_disconnected
from clawtap_core.server.request_input import check_text, read_input

blueprint = Blueprint("hooks", __name__, "Hooks of CLIs")


@blueprint.route(
    "POST",
    "/hooks/<adapter>/<event>",
    response={"type": "object"},
    alt_status=204,
    requestBody={"content": {"application/json": {"schema": {"type": "object"}}}},
)
@private_socket
def report(adapter: str, event: str) -> Response:
    """Accept a hook's report and reply with what the hook returns to its CLI.

    Needs no token over the private socket, which the bridge uses. A hook that asks waits for an
    answer, until the CLI gives up or its time is over.
    """
    receiver = server().hooks
    if receiver is None:
        raise NotFound("this server does not accept hooks", code=ErrorCode.NO_HOOKS)
    receiver.pace.count()
    request.max_content_length = LIMIT + 1
    payload = read_input(request, LIMIT)
    check_text(payload)
    call = HookCall(
        adapter,
        event,
        payload,
        request.headers.get("X-ClawTap-Pane", ""),
        request.headers.get("X-ClawTap-Tmux", ""),
        request.headers.get("X-ClawTap-Process", 0, int),
    )
    answer: Any = receiver.sink.report(call, client_disconnected(request.environ))
    return Response(status=204) if answer is None else jsonify(answer)
