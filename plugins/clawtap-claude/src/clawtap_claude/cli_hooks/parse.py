"""Claude Code's hooks: which are installed, and what their payloads tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_claude.tool_call import form_of
from clawtap_core import (
    HookConfig,
    HookEndpoint,
    HookReport,
    PromptForm,
    SessionState,
    hookimpl,
)
from clawtap_core.protocol_io.hook_payload import session_report, text_field, tool_call

_WAITS = 86400
_TELLS = 5
TELLING = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
)
ASKING = "PermissionRequest"
_STATES = {
    "SessionStart": SessionState.IDLE,
    "UserPromptSubmit": SessionState.BUSY,
    "PreToolUse": SessionState.BUSY,
    "PostToolUse": SessionState.BUSY,
    "PostToolUseFailure": SessionState.BUSY,
    "Stop": SessionState.IDLE,
    "SessionEnd": SessionState.ENDED,
}
_ENDED = ("PostToolUse", "PostToolUseFailure")


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """The hooks that tell, and the one that waits for an answer; timeouts are seconds."""
    folder = endpoint.env.get("CLAUDE_CONFIG_DIR") or ".claude"
    hooks = {event: _entry(endpoint, event, _TELLS) for event in TELLING}
    hooks[ASKING] = _entry(endpoint, ASKING, _WAITS)
    return HookConfig(f"{folder}/settings.json", {"hooks": hooks})


def _entry(endpoint: HookEndpoint, event: str, timeout: int) -> list[dict[str, Any]]:
    command = endpoint.command("claude", event, expects_reply=event == ASKING)
    hook = {"type": "command", "command": command, "timeout": timeout}
    matched = {"matcher": "*"} if event in (*_ENDED, "PreToolUse", ASKING) else {}
    return [{**matched, "hooks": [hook]}]


@hookimpl
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Whose hook it is, what the session does from now on, and the call that it tells of."""
    if event not in TELLING and event != ASKING:
        return None
    asks = event == ASKING
    return replace(
        session_report(event, payload),
        form=_call(payload) if asks or event == "PreToolUse" else None,
        expects_reply=asks,
        tool_finished=_call(payload) if event in _ENDED else None,
        state=None if _inner(payload) else _STATES.get(event),
        mode=text_field(payload, "permission_mode"),
        model=text_field(payload, "model"),
    )


def _call(payload: Mapping[str, Any]) -> PromptForm | None:
    reported = tool_call(payload)
    if reported is None:
        return None
    tool, given = reported
    suggestions = payload.get("permission_suggestions")
    return form_of(
        tool,
        given,
        call=text_field(payload, "tool_use_id"),
        suggestions=suggestions if isinstance(suggestions, list) else (),
        origin=text_field(payload, "agent_type"),
    )


def _inner(payload: Mapping[str, Any]) -> bool:
    """Whether a subagent tells it: its end is not the session's."""
    return bool(payload.get("agent_id"))
