"""The hooks to install."""

from __future__ import annotations

from typing import Any

from clawtap_core import HookConfig, HookEndpoint, hookimpl

_REPLY_TIMEOUT = 86400
_REPORT_TIMEOUT = 5
REPORTING = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
)
ASKING = "PermissionRequest"
TOOL_ENDED = ("PostToolUse", "PostToolUseFailure")


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """Return the hooks that report and the one that waits for an answer; timeouts are seconds."""
    folder = endpoint.env.get("CLAUDE_CONFIG_DIR") or ".claude"
    hooks = {event: _entry(endpoint, event, _REPORT_TIMEOUT) for event in REPORTING}
    hooks[ASKING] = _entry(endpoint, ASKING, _REPLY_TIMEOUT)
    return HookConfig(f"{folder}/settings.json", {"hooks": hooks})


def _entry(endpoint: HookEndpoint, event: str, timeout: int) -> list[dict[str, Any]]:
    command = endpoint.command("claude", event, expects_reply=event == ASKING)
    hook = {"type": "command", "command": command, "timeout": timeout}
    matched = {"matcher": "*"} if event in (*TOOL_ENDED, "PreToolUse", ASKING) else {}
    return [{**matched, "hooks": [hook]}]
