"""Start OpenCode."""

from __future__ import annotations

import re

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_opencode.info import MODES
from clawtap_opencode.words import WORDS

# `--model` takes nothing else.
_OWN_SESSION = ("--continue", "-c", "--session", "-s")
_MODEL = re.compile(r"[^\s/]+/\S+")
# These open a list in the composer, and the CLI does not send what it was started with.
_OPENS_LIST = re.compile(r"/|.*@", re.DOTALL)
_EXITS = WORDS.pattern("compose.exits")


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
    message = request.message or ""
    at_start = bool(message) and not _is_more_than_text(message)
    if at_start:
        argv.append(f"--prompt={message}")
    return Launch(tuple(argv), cli_session_id=request.resume or None, includes_message=at_start)


def _is_more_than_text(message: str) -> bool:
    """Return True for commands and mentions, which stay in the composer, and words that exit."""
    return bool(_OPENS_LIST.match(message) or _EXITS.fullmatch(message.strip()))
