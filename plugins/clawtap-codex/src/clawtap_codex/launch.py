"""How the CLI is started."""

from __future__ import annotations

from clawtap_codex.info import DEFAULT, EFFORTS
from clawtap_core import Launch, LaunchRequest, hookimpl

_PERMISSIONS = {
    "read-only": ("--sandbox", "read-only", "--ask-for-approval", "on-request"),
    "ask": ("--sandbox", "workspace-write", "--ask-for-approval", "on-request"),
    "full-access": ("--sandbox", "danger-full-access", "--ask-for-approval", "never"),
    DEFAULT: (),
}


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """`codex [resume] FLAGS ARGS [ID] [-- MESSAGE]`, each where it is set.

    The modes without a flag that both versions know (plan, approve for me) cannot be launched.
    """
    if request.channel == "protocol":
        return _server(request)
    flags = _PERMISSIONS.get(request.permission_mode or DEFAULT)
    if request.channel != "terminal" or flags is None:
        return None
    argv = ["codex", *(["resume"] if request.resume else []), *flags]
    if request.model:
        argv += ["--model", request.model]
    if request.effort:
        if request.effort not in {each.id for each in EFFORTS}:
            return None
        argv += ["--config", f'model_reasoning_effort="{request.effort}"']
    argv += request.args
    if request.resume or request.message:
        # A text that begins like a flag would be taken for one.
        argv += ["--", *filter(None, (request.resume, request.message))]
    return Launch(
        tuple(argv), cli_session_id=request.resume or None, includes_message=bool(request.message)
    )


def _server(request: LaunchRequest) -> Launch:
    """`codex app-server ARGS`: what else was asked for, the peer says when its thread begins."""
    return Launch(("codex", "app-server", *request.args))
