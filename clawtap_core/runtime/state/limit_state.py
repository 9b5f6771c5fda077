"""The state `limited`, which follows from a session's limit and what it is doing."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import Session, SessionState


def with_limit(before: Session, after: Session) -> Session:
    """Return the changed session in the state that its limit makes of it."""
    if after.limit is None:
        idle = after.state is SessionState.LIMITED
        return replace(after, state=SessionState.IDLE) if idle else after
    if after.state is SessionState.IDLE:
        return replace(after, state=SessionState.LIMITED)
    # The turn that met the limit may still be shown; a later one shows that the limit is over.
    went_on = before.state is SessionState.LIMITED and after.state is SessionState.BUSY
    return replace(after, limit=None) if went_on or after.state is SessionState.ENDED else after
