"""Permission modes and models as settings of threads and turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_codex.info import DEFAULT, EFFORTS, PLAN
from clawtap_core import LaunchRequest
from clawtap_core.protocol_io.json_values import mapping, text

# Both versions accept the older name of the reviewer.
_REVIEWER = "guardian_subagent"
_PERMISSIONS: dict[str, dict[str, str]] = {
    "read-only": {"approvalPolicy": "on-request", "sandbox": "read-only"},
    "ask": {"approvalPolicy": "on-request", "sandbox": "workspace-write"},
    "approve-for-me": {
        "approvalPolicy": "on-request",
        "sandbox": "workspace-write",
        "approvalsReviewer": _REVIEWER,
    },
    "full-access": {"approvalPolicy": "never", "sandbox": "danger-full-access"},
}
_POLICIES = {
    "read-only": "readOnly",
    "workspace-write": "workspaceWrite",
    "danger-full-access": "dangerFullAccess",
}


def is_supported(mode: str) -> bool:
    """Return True if a session can be switched to this mode."""
    return mode in (DEFAULT, PLAN) or mode in _PERMISSIONS


def start(request: LaunchRequest) -> dict[str, Any]:
    """Return the settings to start or resume a thread with."""
    fields: dict[str, Any] = {"cwd": request.cwd}
    if request.model:
        fields["model"] = request.model
    if request.effort in {effort.id for effort in EFFORTS}:
        fields["config"] = {"model_reasoning_effort": request.effort}
    return {**fields, **_PERMISSIONS.get(request.permission_mode or "", {})}


def settings(mode: str | None, model: str) -> dict[str, Any]:
    """Return the settings of a mode and a model; every mode but plan ends planning."""
    if mode is None:
        return {"model": model} if model else {}
    planning = PLAN if mode == PLAN else DEFAULT
    fields: dict[str, Any] = {"model": model} if model else {}
    if model:
        fields["collaborationMode"] = {"mode": planning, "settings": {"model": model}}
    permissions = dict(_PERMISSIONS.get(mode, {}))
    if sandbox := permissions.pop("sandbox", None):
        permissions.setdefault("approvalsReviewer", "user")
        fields["sandboxPolicy"] = {"type": _POLICIES[sandbox]}
    return {**fields, **permissions}


def mode_of(thread: Mapping[str, Any]) -> str:
    """Return the mode that matches a thread's settings."""
    if mapping(thread.get("collaborationMode")).get("mode") == PLAN:
        return PLAN
    sandbox = mapping(thread.get("sandbox")) or mapping(thread.get("sandboxPolicy"))
    reviewed = text(thread, "approvalsReviewer") not in ("", "user")
    for mode, fields in _PERMISSIONS.items():
        same = _POLICIES[fields["sandbox"]] == sandbox.get("type")
        asks = fields["approvalPolicy"] == thread.get("approvalPolicy")
        if same and asks and reviewed == ("approvalsReviewer" in fields):
            return mode
    return DEFAULT
