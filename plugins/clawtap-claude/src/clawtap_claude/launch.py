"""The command line that starts the CLI."""

from __future__ import annotations

from clawtap_claude.info import EFFORTS, MODES
from clawtap_core import Launch, LaunchRequest, hookimpl

_DEFAULT = "default"
_STREAM_JSON = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
    *("--include-partial-messages", "--replay-user-messages", "--permission-prompt-tool", "stdio"),
)
_OWN_SESSION = ("--session-id", "--resume", "-r", "--continue", "-c", "--from-pr", "--teleport")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return the command line, or None for an unknown mode or effort."""
    # Without a mode, newer versions start in one that does not ask.
    mode = request.permission_mode or _DEFAULT
    if mode not in {choice.id for choice in MODES}:
        return None
    if request.effort not in (None, *(choice.id for choice in EFFORTS)):
        return None
    over_protocol = request.channel == "protocol"
    argv = ["claude", *(_STREAM_JSON if over_protocol else ()), "--permission-mode", mode]
    if request.model:
        argv += ["--model", request.model]
    if request.effort:
        argv += ["--effort", request.effort]
    flags, session = request.session_flags(_OWN_SESSION)
    argv += (*flags, *request.args_beside_resume(_OWN_SESSION))
    if request.message and not over_protocol:
        argv += ["--", request.message]
    return Launch(
        tuple(argv),
        cli_session_id=session,
        includes_message=bool(request.message and not over_protocol),
    )
