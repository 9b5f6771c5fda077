"""What CLIs report by their own hooks: the one route with a secret of its own."""

from __future__ import annotations

from typing import Any

from flask import Response, jsonify, request

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.model import HookCall
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.auth import public
from clawtap_core.server.context import server
from clawtap_core.server.hook_receiver import LIMIT, HookReceiver, client_disconnected
from clawtap_core.server.request_input import check_text, read_input

blueprint = Blueprint("hooks", __name__, "Hooks of CLIs")


@blueprint.route("POST", "/hooks/<adapter>/<event>", response={"type": "object"}, alt_status=204)
@public
def report(adapter: str, event: str) -> Response:
    """Take what a hook tells; what comes back is what the hook returns to its CLI.

    A hook that asks waits here until somebody answers, the CLI waits no more, or its time is over.
    """
    door = _door()
    door.check(request.headers.get("Authorization"))
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
    answer: Any = door.sink.report(call, client_disconnected(request.environ))
    return Response(status=204) if answer is None else jsonify(answer)


def _door() -> HookReceiver:
    if found := server().hooks:
        return found
    raise NotFound("this server does not accept hooks", code=ErrorCode.NO_HOOKS)
