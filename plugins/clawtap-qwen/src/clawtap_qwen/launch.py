"""Start Qwen Code."""

from __future__ import annotations

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_qwen.info import MODES

_DEFAULT = "default"
_OWN_SESSION = ("--session-id", "--resume", "-r", "--continue", "-c")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return `qwen --approval-mode MODE -m MODEL --resume ID ARGS --prompt-interactive=MESSAGE`.

    Over the protocol, `qwen --acp`: the peer names the session, resumes it and sends the message.
    """
    if request.channel not in ("terminal", "protocol"):
        return None
    # Without a mode, newer versions start in one that does not ask.
    mode = request.permission_mode or _DEFAULT
    if mode not in {choice.id for choice in MODES}:
        return None
    argv = ["qwen", "--approval-mode", mode]
    if request.model:
        argv += ["-m", request.model]
    if request.channel == "protocol":
        return Launch((*argv, "--acp", *request.args))
    flags, session = request.session_flags(_OWN_SESSION)
    argv += (*flags, *request.args_beside_resume(_OWN_SESSION))
    if request.message:
        argv.append(f"--prompt-interactive={request.message}")
    return Launch(tuple(argv), cli_session_id=session, includes_message=bool(request.message))
