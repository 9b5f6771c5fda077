"""Start OpenCode."""

from __future__ import annotations

import re

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_opencode.info import MODES

# `--model` takes nothing else.
_OWN_SESSION = ("--continue", "-c", "--session", "-s")
_MODEL = re.compile(r"[^\s/]+/\S+")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return `opencode --agent MODE --model MODEL --session ID ARGS --prompt=MESSAGE`."""
    if request.channel != "terminal":
        return None
    argv = ["opencode"]
    if request.permission_mode:
        if request.permission_mode not in {mode.id for mode in MODES}:
            return None
        argv += ["--agent", request.permission_mode]
    if request.model:
        if not _MODEL.fullmatch(request.model):
            return None
        argv += ["--model", request.model]
    if request.resume:
        argv += ["--session", request.resume]
    argv += request.args_beside_resume(_OWN_SESSION)
    if request.message:
        argv.append(f"--prompt={request.message}")
    return Launch(
        tuple(argv), cli_session_id=request.resume or None, includes_message=bool(request.message)
    )
