"""How the agent is started."""

from __future__ import annotations

import uuid

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_demo.info import MODELS, MODES, PROGRAM


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return the program and its flags, or None for a model or mode that it does not have."""
    values = {None, *MODES, *(model.id for model in MODELS)}
    if not {request.model, request.permission_mode} <= values:
        return None
    options = {"--model": request.model, "--mode": request.permission_mode}
    flags = [part for flag, value in options.items() if value for part in (flag, value)]
    message = ("--", request.message) if request.message else ()
    session = request.resume or str(uuid.uuid4())
    conversation = ("--resume" if request.resume else "--session", session)
    argv = (*PROGRAM, *conversation, *flags, *request.args, *message)
    return Launch(argv, cli_session_id=session, includes_message=bool(message))
