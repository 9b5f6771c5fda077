"""Claude Code's hooks: which are installed, and what their payloads tell."""

from __future__ import annotations

from collections.abc import Mapping
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
    return HookReport(
        cli_session_id=_text(payload, "session_id"),
        transcript=_text(payload, "transcript_path"),
        cwd=_text(payload, "cwd"),
        conversation_start=(_text(payload, "source") or "startup")
        if event == "SessionStart"
        else None,
        form=_call(payload) if asks or event == "PreToolUse" else None,
        expects_reply=asks,
        tool_finished=_call(payload) if event in _ENDED else None,
        state=None if _inner(payload) else _STATES.get(event),
        mode=_text(payload, "permission_mode"),
        model=_text(payload, "model"),
    )


def _call(payload: Mapping[str, Any]) -> PromptForm | None:
    tool, given = payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(tool, str) or not isinstance(given, Mapping):
        return None
    suggestions = payload.get("permission_suggestions")
    return form_of(
        tool,
        given,
        call=_text(payload, "tool_use_id"),
        suggestions=suggestions if isinstance(suggestions, list) else (),
        origin=_text(payload, "agent_type"),
    )


def _inner(payload: Mapping[str, Any]) -> bool:
    """Whether a subagent tells it: its end is not the session's."""
    return bool(payload.get("agent_id"))


def _text(payload: Mapping[str, Any], name: str) -> str | None:
    found = payload.get(name)
    return found if isinstance(found, str) and found else None
