"""tmux's complaints as ClawTap's errors."""

from __future__ import annotations

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, NotFound, Unavailable


def no_such_pane(pane_id: str) -> NotFound:
    """Return the error for a missing pane."""
    return NotFound(f"no such pane: {pane_id}", code=ErrorCode.PANE_NOT_FOUND)


def not_in_front() -> Conflict:
    """Return the error for keys that another program would get."""
    return Conflict(
        "another program is in the foreground of the pane", code=ErrorCode.CLI_NOT_THERE
    )


def refused(complaint: str) -> ClawTapError:
    """Return the error for a command that tmux refused."""
    missing = ("can't find pane", "can't find window", "can't find session", "no such session")
    if complaint.startswith(missing):
        return NotFound(f"tmux: {complaint}", code=ErrorCode.PANE_NOT_FOUND)
    return Unavailable(f"tmux refused a command: {complaint}", code=ErrorCode.TMUX_REFUSED)


def gone(why: str = "") -> Unavailable:
    """Return the error for a lost tmux server."""
    reason = f": {why}" if why else ""
    return Unavailable(f"the tmux server cannot be reached{reason}", code=ErrorCode.TMUX_GONE)


def not_started(error: OSError) -> Unavailable:
    """Return the error for a tmux client that this process cannot start."""
    why = error.strerror or str(error)
    return Unavailable(f"tmux cannot be started: {why}", code=ErrorCode.TMUX_REFUSED)


def timed_out(seconds: float) -> Unavailable:
    """Return the error for a missing answer."""
    return Unavailable(f"tmux did not answer within {seconds:g} s", code=ErrorCode.TMUX_TIMEOUT)


def silent(seconds: float) -> Unavailable:
    """Return the error for a server that has just not answered."""
    return Unavailable(
        f"tmux does not answer; it is tried again in {seconds:.0f} s", code=ErrorCode.TMUX_TIMEOUT
    )
