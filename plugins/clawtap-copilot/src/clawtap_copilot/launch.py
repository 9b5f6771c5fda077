"""Start GitHub Copilot CLI."""

from __future__ import annotations

from clawtap_copilot.info import MODES
from clawtap_core import Launch, LaunchRequest, hookimpl

_OWN_SESSION = ("--session-id", "--resume", "-r", "--continue", "--connect")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return the command line, or None for an unknown mode.

    Over the protocol, `copilot --acp`: the peer does the rest.
    """
    if request.channel not in ("terminal", "protocol"):
        return None
    if request.permission_mode and request.permission_mode not in {mode.id for mode in MODES}:
        return None
    if request.channel == "protocol":
        return Launch(("copilot", "--acp", *request.args))
    argv = ["copilot"]
    if request.permission_mode:
        argv.append(f"--mode={request.permission_mode}")
    if request.model:
        argv.append(f"--model={request.model}")
    flags, session = request.session_flags(_OWN_SESSION)
    if flags:
        argv.append("=".join(flags))
    # Older versions lose a message of the command line: it is typed once the composer is there.
    argv += request.args_beside_resume(_OWN_SESSION)
    return Launch(tuple(argv), cli_session_id=session)
