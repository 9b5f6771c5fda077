"""Start Gemini CLI."""

from __future__ import annotations

import re

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_gemini.info import MODES

_OWN_SESSION = ("--resume", "-r")
# What `--resume` takes may also be "latest" or a number.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return `gemini --approval-mode MODE -m MODEL --resume ID ARGS -i MESSAGE`, or `gemini --acp`.

    Over the protocol the peer names the session, resumes it and sends the message.
    """
    if request.channel not in ("terminal", "protocol"):
        return None
    argv = ["gemini", *(["--acp"] if request.channel == "protocol" else [])]
    if request.permission_mode:
        if request.permission_mode not in {mode.id for mode in MODES}:
            return None
        argv += ["--approval-mode", request.permission_mode]
    if request.model:
        argv += ["-m", request.model]
    if request.channel == "protocol":
        return Launch((*argv, *request.args))
    if request.resume:
        argv += ["--resume", request.resume]
    argv += request.args_beside_resume(_OWN_SESSION)
    if request.message:
        # A text that begins like a flag would be taken for one.
        dashed = request.message.startswith("-")
        argv += [f"--prompt-interactive={request.message}"] if dashed else ["-i", request.message]
    resumed = request.resume if _UUID.fullmatch(request.resume or "") else None
    return Launch(tuple(argv), cli_session_id=resumed, includes_message=bool(request.message))
