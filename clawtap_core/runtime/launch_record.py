"""What a user chose for a session, kept to start its CLI again with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_core.model import LaunchRequest, Session
from clawtap_core.runtime.state.store import StateStore

_CHOICES = ("model", "permission_mode", "effort", "cols", "rows")
# Protocol sessions were once kept under the second name.
_MARKER, _OLD_MARKER = "launch", "protocol"


def remember_launch(
    store: StateStore, session_id: str, request: LaunchRequest, **facts: Any
) -> None:
    """Remember what a user chose for a session, and `facts` about it."""
    chosen = {name: value for name in _CHOICES if (value := getattr(request, name))}
    store.mark(session_id, _MARKER, {**chosen, "args": list(request.args), **facts})


def remember(store: StateStore, session_id: str, **facts: Any) -> None:
    """Add facts that are so already to the record, or change them."""
    before = remembered_launch(store, session_id) or {}
    if (after := {**before, **facts}) != before:
        store.mark(session_id, _MARKER, after, happened=True)


def remembered_launch(store: StateStore, session_id: str) -> Mapping[str, Any] | None:
    """Return what is remembered of a session, or None."""
    launch: Mapping[str, Any] | None = store.marker(session_id, _MARKER)
    return launch or store.marker(session_id, _OLD_MARKER)


def launch_again(store: StateStore, session: Session, *, resume: str | None) -> LaunchRequest:
    """Return what starts the session's CLI again as the user chose."""
    launch = remembered_launch(store, session.id) or {}
    return LaunchRequest(
        session.adapter,
        session.cwd,
        channel=session.channel,
        resume=resume,
        args=tuple(launch.get("args", ())),
        **{name: launch[name] for name in _CHOICES if name in launch},
    )
