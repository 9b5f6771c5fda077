"""Start OpenCode."""

from __future__ import annotations

import re

from clawtap_core import Launch, LaunchRequest, hookimpl
from clawtap_opencode.info import MODES
from clawtap_opencode.words import WORDS

# `--model` takes nothing else.
_OWN_SESSION = ("--continue", "-c", "--session", "-s")
_MODEL = re.compile(r"[^\s/]+/\S+")
# A command or a mention opens a list in the composer, and the CLI leaves a first message there.
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
    if includes_message := _can_be_passed(request.message):
        argv.append(f"--prompt={request.message}")
    return Launch(
        tuple(argv), cli_session_id=request.resume or None, includes_message=includes_message
    )


def _can_be_passed(message: str | None) -> bool:
    """Return False for a command, a mention, and a word at which the CLI would end."""
    if not message:
        return False
    return not (_OPENS_LIST.match(message) or _EXITS.fullmatch(message.strip()))
