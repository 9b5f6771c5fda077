"""How the CLI is started."""

from __future__ import annotations

import re

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_gemini.info import MODES

# It may be "latest" or a number, too.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """`gemini --approval-mode MODE -m MODEL --resume ID ARGS -i MESSAGE`, each where it is set."""
    if request.channel != "terminal":
        return None
    argv = ["gemini"]
    if request.permission_mode:
        if request.permission_mode not in {mode.id for mode in MODES}:
            return None
        argv += ["--approval-mode", request.permission_mode]
    if request.model:
        argv += ["-m", request.model]
    if request.resume:
        argv += ["--resume", request.resume]
    argv += request.args
    if request.message:
        argv += _message(request.message)
    resumed = request.resume if _UUID.fullmatch(request.resume or "") else None
    return Launch(tuple(argv), cli_session_id=resumed, message_sent=bool(request.message))


def _message(text: str) -> list[str]:
    # A text that begins like a flag would be taken for one.
    return [f"--prompt-interactive={text}"] if text.startswith("-") else ["-i", text]
