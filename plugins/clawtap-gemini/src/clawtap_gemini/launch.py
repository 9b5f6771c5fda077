"""How the CLI is started."""

from __future__ import annotations

import re

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_gemini.info import MODES

# It may be "latest" or a number, too.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """`gemini --approval-mode MODE -m MODEL --resume ID ARGS -i MESSAGE`, each where it is set.

    Over the protocol it is `gemini --acp`, and the session is named by the peer.
    """
    if request.channel not in ("terminal", "protocol"):
        return None
    spoken = request.channel == "protocol"
    argv = ["gemini", *(["--acp"] if spoken else [])]
    if request.permission_mode:
        if request.permission_mode not in {mode.id for mode in MODES}:
            return None
        argv += ["--approval-mode", request.permission_mode]
    if request.model:
        argv += ["-m", request.model]
    if request.resume and not spoken:
        argv += ["--resume", request.resume]
    argv += request.args
    if request.message and not spoken:
        argv += _message(request.message)
    resumed = request.resume if _UUID.fullmatch(request.resume or "") else None
    sent = bool(request.message) and not spoken
    return Launch(tuple(argv), cli_session_id=None if spoken else resumed, includes_message=sent)


def _message(text: str) -> list[str]:
    # A text that begins like a flag would be taken for one.
    return [f"--prompt-interactive={text}"] if text.startswith("-") else ["-i", text]
