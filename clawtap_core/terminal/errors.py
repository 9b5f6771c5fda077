"""tmux's complaints as ClawTap's errors."""

from __future__ import annotations

from clawtap_core.errors import ClawTapError, ErrorCode, NotFound, Unavailable


def no_such_pane(pane_id: str) -> NotFound:
    """The pane is not there (any more)."""
    return NotFound(f"no such pane: {pane_id}", code=ErrorCode.PANE_NOT_FOUND)


def refused(complaint: str) -> ClawTapError:
    """tmux answered a command with an error."""
    if complaint.startswith(("can't find pane", "can't find window", "can't find session")):
        return NotFound(f"tmux: {complaint}", code=ErrorCode.PANE_NOT_FOUND)
    return Unavailable(f"tmux refused a command: {complaint}", code=ErrorCode.TMUX_REFUSED)


def gone(why: str = "") -> Unavailable:
    """The tmux server is not there, or let go of us."""
    said = f": {why}" if why else ""
    return Unavailable(f"the tmux server cannot be reached{said}", code=ErrorCode.TMUX_GONE)


def timed_out(seconds: float) -> Unavailable:
    """tmux did not answer."""
    return Unavailable(f"tmux did not answer within {seconds:g} s", code=ErrorCode.TMUX_TIMEOUT)
