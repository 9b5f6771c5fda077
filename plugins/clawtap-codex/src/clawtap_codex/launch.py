"""The command line that starts the CLI."""

from __future__ import annotations

from clawtap_codex.info import DEFAULT, EFFORTS
from clawtap_core import Launch, LaunchRequest, hookimpl

_PERMISSIONS = {
    "read-only": ("--sandbox", "read-only", "--ask-for-approval", "on-request"),
    "ask": ("--sandbox", "workspace-write", "--ask-for-approval", "on-request"),
    "full-access": ("--sandbox", "danger-full-access", "--ask-for-approval", "never"),
    DEFAULT: (),
}

# A command, and its flags.
_OWN_SESSION = ("resume", "--last", "--all")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return `codex [resume] FLAGS ARGS [-- ID MESSAGE]`, or None for a mode without a flag."""
    if request.channel == "protocol":
        # The model, the mode and the effort are sent by the peer when it starts its thread.
        return Launch(("codex", "app-server", *request.args))
    flags = _PERMISSIONS.get(request.permission_mode or DEFAULT)
    if request.channel != "terminal" or flags is None:
        return None
    argv = ["codex", *(["resume"] if request.resume else []), *flags]
    if request.model:
        argv += ["--model", request.model]
    if request.effort:
        if request.effort not in {effort.id for effort in EFFORTS}:
            return None
        argv += ["--config", f'model_reasoning_effort="{request.effort}"']
    argv += request.args_beside_resume(_OWN_SESSION)
    if request.resume or request.message:
        # Without the dashes a message that starts like a flag would be parsed as one.
        argv += ["--", *filter(None, (request.resume, request.message))]
    return Launch(
        tuple(argv), cli_session_id=request.resume or None, includes_message=bool(request.message)
    )
