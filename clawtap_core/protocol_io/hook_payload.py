"""Payload fields that the hooks of several CLIs have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_core.model import HookReport


def text_field(payload: Mapping[str, Any], name: str) -> str | None:
    """Return a field's text, or None if it is missing, empty or not text."""
    value = payload.get(name)
    return value if isinstance(value, str) and value else None


def session_report(event: str, payload: Mapping[str, Any]) -> HookReport:
    """Return a report of the session's id, transcript, folder and start."""
    source = text_field(payload, "source") or "startup"
    return HookReport(
        cli_session_id=text_field(payload, "session_id"),
        transcript=text_field(payload, "transcript_path"),
        cwd=text_field(payload, "cwd"),
        conversation_start=source if event == "SessionStart" else None,
    )


def tool_call(payload: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """Return the name and input of the reported tool, or None."""
    tool, tool_input = payload.get("tool_name"), payload.get("tool_input")
    if isinstance(tool, str) and isinstance(tool_input, Mapping):
        return tool, tool_input
    return None
