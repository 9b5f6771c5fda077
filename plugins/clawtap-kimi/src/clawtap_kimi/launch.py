"""Start Kimi Code."""

from __future__ import annotations

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_kimi.info import MANUAL, MODES

_OWN_SESSION = ("--continue", "-c", "--session", "-S")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return `kimi --MODE -m MODEL --session ID ARGS`, or None for an unknown mode.

    The CLI takes no first message that leaves it open, and chooses the id of a new session with
    the first one. Over the protocol, `kimi acp`: the peer does the rest.
    """
    if request.channel not in ("terminal", "protocol"):
        return None
    mode = request.permission_mode or MANUAL
    if mode not in {choice.id for choice in MODES}:
        return None
    if request.channel == "protocol":
        return Launch(("kimi", "acp", *request.args))
    argv = ["kimi"]
    if mode != MANUAL:
        argv.append(f"--{mode}")
    if request.model:
        argv += ["-m", request.model]
    if request.resume:
        argv += ["--session", request.resume]
    argv += request.args_beside_resume(_OWN_SESSION)
    return Launch(tuple(argv), cli_session_id=request.resume)
