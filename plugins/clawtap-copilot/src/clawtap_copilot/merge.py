"""Match a prompt on the screen with a call that the transcript reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core import Kind, PromptForm, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import merge_known

_TEXTS = {"bash": "command", "create": "path", "edit": "path"}


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Complete the permission on the screen with the whole call, or return None if they differ."""
    call = reported.tool_input
    if seen.kind is not Kind.PERMISSION or seen.tool_name is None or call is None:
        return None
    if not _same(seen, reported.tool_name or "", call):
        return None
    text = call.get(_TEXTS.get(reported.tool_name or "", ""))
    whole = f"{text}\n{call.get('description', '')}".strip() if seen.truncated and text else ""
    return merge_known(seen, replace(reported, description=whole))


def _same(seen: PromptForm, tool: str, call: Mapping[str, Any]) -> bool:
    if seen.tool_name == "bash" and tool == "bash":
        return _shows(seen, squeeze(str(call.get("command", ""))))
    if seen.tool_name in ("create", "edit") and tool in ("create", "edit"):
        return seen.truncated or squeeze(str(call.get("path", ""))) in squeeze(seen.title)
    # Tools of MCP servers.
    return seen.tool_name == tool and (seen.truncated or seen.tool_input == call)


def _shows(seen: PromptForm, command: str) -> bool:
    """Return True if the command is on the screen, or its end where the rest is cut off."""
    shown = squeeze(seen.description)
    if not seen.truncated:
        return bool(command) and shown.startswith(command)
    first = squeeze(seen.description.split("\n")[0])
    return bool(first) and first in command
