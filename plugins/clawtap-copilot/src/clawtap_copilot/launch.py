"""Start GitHub Copilot CLI."""

from __future__ import annotations

from uuid import uuid4

from clawtap_copilot.info import MODES
from clawtap_core import Launch, LaunchRequest, hookimpl

_OWN_SESSION = ("--session-id", "--resume", "-r", "--continue", "--connect")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return the command line, or None for an unknown mode."""
    if request.channel != "terminal":
        return None
    argv = ["copilot"]
    if request.permission_mode:
        if request.permission_mode not in {mode.id for mode in MODES}:
            return None
        argv.append(f"--mode={request.permission_mode}")
    if request.model:
        argv.append(f"--model={request.model}")
    session = request.resume
    if session:
        argv.append(f"--resume={session}")
    elif not any(arg.split("=")[0] in _OWN_SESSION for arg in request.args):
        # Chosen here, so that the transcript is known from the start.
        session = str(uuid4())
        argv.append(f"--session-id={session}")
    # Older versions lose a message of the command line: it is typed once the composer is there.
    return Launch((*argv, *request.args), cli_session_id=session)
