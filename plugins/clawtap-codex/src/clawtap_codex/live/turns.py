"""Turns of the scripted OpenAI model that make the Codex CLI ask something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_core.testing.scripted.turns import Part, TurnObject, turn


def call(tool: str, namespace: str | None = None, **arguments: Any) -> Part:
    """One call of a tool; tools of MCP servers have a namespace in 0.169."""
    return {"call": {"name": tool, "args": arguments, "namespace": namespace}}


def command(line: str, reason: str = "Is it all right?", **more: Any) -> Part:
    """A shell command that asks to leave the sandbox."""
    outside = {"sandbox_permissions": "require_escalated", "justification": reason}
    return call("exec_command", cmd=line, **outside, **more)


def shell(line: str, reason: str = "Is it all right?") -> TurnObject:
    """Run a shell command."""
    return turn(command(line, reason))


def parallel(lines: Sequence[str]) -> TurnObject:
    """Several shell commands at once."""
    return turn(*(command(line) for line in lines))


def edit(*changes: str) -> Part:
    """An edit of files by a patch."""
    whole = "\n".join(("*** Begin Patch", *changes, "*** End Patch", ""))
    return {"custom": {"name": "apply_patch", "input": whole}}


def patch(*changes: str) -> TurnObject:
    """Edit files by a patch."""
    return turn(edit(*changes))


def new_file(path: str, *lines: str) -> str:
    """A patch's part that adds a file."""
    return "\n".join((f"*** Add File: {path}", *(f"+{line}" for line in lines)))


def permissions(reason: str = "Need the network") -> TurnObject:
    """Ask for more permissions."""
    wanted = {"network": {"enabled": True}}
    return turn(call("request_permissions", reason=reason, permissions=wanted))


def mcp(version: str, tool: str, **arguments: Any) -> TurnObject:
    """Call a tool of the lab's MCP server."""
    if version == "0.116.0":
        return turn(call(f"mcp__lab__{tool}", **arguments))
    return turn(call(tool, "mcp__lab", **arguments))


def ask(*questions: Mapping[str, Any]) -> TurnObject:
    """Ask the user."""
    return turn(call("request_user_input", questions=list(questions)))


def choice(question: str, *labels: str, name: str = "choice") -> dict[str, Any]:
    """A question with options; `name` is its id in the answer."""
    options = [{"label": label, "description": f"About {label}."} for label in labels]
    return {"id": name, "header": name.title(), "question": question, "options": options}


def plan(text: str) -> TurnObject:
    """Propose a plan, in plan mode."""
    return turn({"text": f"<proposed_plan>\n{text}\n</proposed_plan>\n"})


def near_limit(text: str) -> TurnObject:
    """An answer with the news that little of the limit is left."""
    headers = {
        "x-codex-primary-used-percent": "93",
        "x-codex-primary-window-minutes": "300",
        "x-codex-secondary-used-percent": "96",
        "x-codex-secondary-window-minutes": "10080",
    }
    return turn({"headers": headers}, {"text": text})


def slow(text: str) -> TurnObject:
    """An answer that the provider thinks about for longer: the CLI offers a faster model."""
    buffering = {"use_cases": [], "reasons": ["check"], "retry_model": "gpt-6-luna"}
    return turn({"metadata": {"safety_buffering": buffering}}, {"text": text}, hold=True)
