"""Read the file that each running Claude Code keeps about itself."""

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
    """Return the path of `sessions/PID.json`."""
    # The key in the same folder is a secret and is not read.
    return f"{home(env)}/sessions/{pid}.json"


@hookimpl
def parse_state_file(data: bytes) -> HookReport | None:
    """Return the conversation and the state, or None if the CLI does not update the file."""
    # 2.1.85 writes it once, at its start, and without a status.
    try:
        note = msgspec.json.decode(data, type=_Note)
    except msgspec.MsgspecError:
        return None
    return HookReport(cli_session_id=note.session_id or None, state=_STATES.get(note.status))
