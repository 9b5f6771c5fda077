"""The file that each running Claude Code keeps about itself: `sessions/PID.json`.

The newer version says there what it does, and follows `/clear` and `/resume`. The older one
writes the file once, at its start: what it says is not believed.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from clawtap_claude.transcript.sources import home
from clawtap_core import HookReport, SessionState, hookimpl

_STATES = {
    "busy": SessionState.BUSY,
    "idle": SessionState.IDLE,
    "waiting": SessionState.WAITING,
}


class _Note(msgspec.Struct, rename="camel"):
    status: str
    session_id: str | None = None


@hookimpl
def state_file(env: Mapping[str, str], pid: int) -> str:
    """`sessions/PID.json`; the key beside it is a secret, and none of our business."""
    return f"{home(env)}/sessions/{pid}.json"


@hookimpl
def parse_state_file(data: bytes) -> HookReport | None:
    """The conversation and the state, where the file is one that is kept up."""
    try:
        note = msgspec.json.decode(data, type=_Note)
    except msgspec.MsgspecError:
        return None
    return HookReport(cli_session_id=note.session_id or None, state=_STATES.get(note.status))
