"""Parse the payloads of Claude Code's hooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_claude.cli_hooks.config import ASKING, REPORTING, TOOL_ENDED
from clawtap_claude.tool_call import prompt_of_call
from clawtap_core import HookReport, PromptForm, SessionState, hookimpl
from clawtap_core.protocol_io.hook_payload import session_report, text_field, tool_call

_STATES = {
    "SessionStart": SessionState.IDLE,
    "UserPromptSubmit": SessionState.BUSY,
    "PreToolUse": SessionState.BUSY,
    "PostToolUse": SessionState.BUSY,
    "PostToolUseFailure": SessionState.BUSY,
    "Stop": SessionState.IDLE,
    "SessionEnd": SessionState.ENDED,
}


@hookimpl
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Parse a payload into its session, its state and the call it reports."""
    if event not in REPORTING and event != ASKING:
        return None
    asks = event == ASKING
    return replace(
        session_report(event, payload),
        form=_call(payload) if asks or event == "PreToolUse" else None,
        expects_reply=asks,
        tool_finished=_call(payload) if event in TOOL_ENDED else None,
        # The end of a subagent's work is not the session's.
        state=None if payload.get("agent_id") else _STATES.get(event),
        mode=text_field(payload, "permission_mode"),
        model=text_field(payload, "model"),
    )


def _call(payload: Mapping[str, Any]) -> PromptForm | None:
    reported = tool_call(payload)
    if reported is None:
        return None
    tool, tool_input = reported
    return prompt_of_call(
        tool,
        tool_input,
        call=text_field(payload, "tool_use_id"),
        suggestions=payload.get("permission_suggestions"),
        origin=text_field(payload, "agent_type"),
    )
