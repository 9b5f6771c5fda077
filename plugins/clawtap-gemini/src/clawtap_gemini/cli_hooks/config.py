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
_TIMEOUT = 5000  # the CLI counts in milliseconds


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """Return the hooks to merge into the user's settings."""
    hooks = {event: [_entry(endpoint, event)] for event in EVENTS}
    return HookConfig(".gemini/settings.json", {"hooks": hooks})


def _entry(endpoint: HookEndpoint, event: str) -> dict[str, Any]:
    command = endpoint.command("gemini", event)
    hook = {"type": "command", "name": "clawtap", "command": command, "timeout": _TIMEOUT}
    return {"matcher": "*", "hooks": [hook]}
