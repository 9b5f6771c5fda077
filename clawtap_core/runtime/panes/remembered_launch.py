"""How a session's CLI was started, and how it is started again in its conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core.host import Adapter
from clawtap_core.model import Action, LaunchRequest, Session, SwitchModel
from clawtap_core.runtime.state.store import StateStore

_MARKER = "launch"
_REMEMBERED = ("model", "permission_mode", "effort", "cols", "rows")


def remember_launch(store: StateStore, session_id: str, request: LaunchRequest) -> None:
    """Remember what a user chose for a session."""
    chosen = {name: value for name in _REMEMBERED if (value := getattr(request, name))}
    store.mark(session_id, _MARKER, {**chosen, "args": list(request.args)})


def remember_action(store: StateStore, session_id: str, action: Action) -> None:
    """Remember a model that the session was switched to; its mode shows on the screen."""
    if isinstance(action, SwitchModel):
        launch = store.marker(session_id, _MARKER) or {}
        store.mark(session_id, _MARKER, {**launch, "model": action.model})


def resume_request(store: StateStore, session: Session, adapter: Adapter) -> LaunchRequest:
    """Return what starts the session's CLI again in its conversation, in its last mode."""
    launch: Mapping[str, Any] = store.marker(session.id, _MARKER) or {}
    chosen = {name: launch[name] for name in _REMEMBERED if name in launch}
    request = LaunchRequest(
        session.adapter,
        session.cwd,
        channel=session.channel,
        resume=session.cli_session_id,
        args=tuple(launch.get("args", ())),
        **chosen,
    )
    if session.model in {model.id for model in adapter.info.models}:
        request = replace(request, model=session.model)
    if session.mode in {mode.id for mode in adapter.info.permission_modes}:
        switched = replace(request, permission_mode=session.mode)
        # Some modes can be switched to, but not started in.
        return switched if adapter.launch(switched) else request
    return request
