"""The settings that make Gemini CLI run our hooks."""

from __future__ import annotations

from typing import Any

from clawtap_core import HookConfig, HookEndpoint, SessionState, hookimpl

STATES = {
    "SessionStart": SessionState.IDLE,
    "BeforeAgent": SessionState.BUSY,
    "BeforeTool": SessionState.BUSY,
    "AfterTool": SessionState.BUSY,
    "AfterAgent": SessionState.IDLE,
    "SessionEnd": SessionState.ENDED,
}
EVENTS = (*STATES, "Notification")
_TIMEOUT_MS = 5000


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """Return the hooks to merge into the user's settings."""
    hooks: dict[str, Any] = {}
    for event in EVENTS:
        command = endpoint.command("gemini", event)
        hook = {"type": "command", "name": "clawtap", "command": command, "timeout": _TIMEOUT_MS}
        hooks[event] = [{"matcher": "*", "hooks": [hook]}]
    return HookConfig(".gemini/settings.json", {"hooks": hooks})
