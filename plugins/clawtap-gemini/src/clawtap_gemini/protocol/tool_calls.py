"""Tool calls as ACP reports them, in terms of the CLI's own tools."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import Any

from clawtap_core.protocol_io.json_rpc import mapping

SHELL = "run_shell_command"
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*?)(?:__|-\d)")
_SHELL_TITLE = re.compile(
    r"(?P<command>.*) (?P<where>\[current working directory .*?\](?: \(.*\))?)", re.DOTALL
)


def text(value: Mapping[str, Any], name: str) -> str:
    """Return a text member, or an empty text."""
    member = value.get(name)
    return member if isinstance(member, str) else ""


def listed(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list member."""
    member = value.get(name)
    return [each for each in member if isinstance(each, dict)] if isinstance(member, list) else []


def tool_of(call: Mapping[str, Any]) -> str | None:
    """Return the tool's name: a call's id begins with it."""
    match = _NAMED.match(text(call, "toolCallId"))
    return match["name"] if match else None


def title_of(call: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title, and what 0.34 puts behind a shell command."""
    title = text(call, "title")
    match = _SHELL_TITLE.fullmatch(title) if tool_of(call) == SHELL else None
    return (match["command"], match["where"]) if match else (title, "")


def body_of(call: Mapping[str, Any]) -> str:
    """Return the texts and diffs of a call."""
    parts = []
    for part in listed(call, "content"):
        if part.get("type") == "diff":
            old, new = (text(part, name).splitlines() for name in ("oldText", "newText"))
            path = text(part, "path")
            parts.append("\n".join(difflib.unified_diff(old, new, path, path, lineterm="")))
        else:
            parts.append(text(mapping(part.get("content")), "text"))
    return "\n".join(filter(None, parts))


def input_of(call: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the input of a tool, as far as it is reported."""
    tool, (title, _) = tool_of(call), title_of(call)
    if tool == SHELL:
        return {"command": title}
    for part in listed(call, "content"):
        if part.get("type") == "diff":
            return {
                "file_path": text(part, "path"),
                "old_string": text(part, "oldText"),
                "new_string": text(part, "newText"),
            }
    if tool and tool.startswith("mcp_"):
        return _arguments(body_of(call)) or _arguments(title)
    return None


def _arguments(encoded: str) -> Mapping[str, Any] | None:
    try:
        arguments = json.loads(encoded)
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None
