"""Turns of the scripted Anthropic model that make Claude Code ask something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_claude.live.wire import PLAN_FILE
from clawtap_core.testing.scripted.turns import TurnObject, call, turn


def shell(command: str, description: str = "Runs it") -> TurnObject:
    """Run a shell command."""
    return turn(call("Bash", command=command, description=description))


def parallel(commands: Sequence[str]) -> TurnObject:
    """Several shell commands at once."""
    return turn(*(call("Bash", command=each, description="One of many") for each in commands))


def write(path: object, content: str) -> TurnObject:
    """Write a whole file."""
    return turn(call("Write", file_path=str(path), content=content))


def read(path: object) -> TurnObject:
    """Read a file."""
    return turn(call("Read", file_path=str(path)))


def edit(path: object, old: str, new: str) -> TurnObject:
    """Replace text in a file that was read."""
    return turn(call("Edit", file_path=str(path), old_string=old, new_string=new))


def fetch(url: str) -> TurnObject:
    """Fetch a page."""
    return turn(call("WebFetch", url=url, prompt="Summarise it"))


def mcp(tool: str, **arguments: Any) -> tuple[TurnObject, ...]:
    """Call a tool of the lab's MCP server; newer versions look it up first."""
    return (turn(call(f"mcp__lab__{tool}", **arguments)),)


def ask(*questions: Mapping[str, Any]) -> TurnObject:
    """Ask the user."""
    return turn(call("AskUserQuestion", questions=list(questions)))


def choice(
    question: str, *labels: str, header: str = "Choice", multi: bool = False, preview: str = ""
) -> dict[str, Any]:
    """A question with options."""
    more = {"preview": preview} if preview else {}
    options = [{"label": label, "description": f"About {label}", **more} for label in labels]
    return {"question": question, "header": header, "options": options, "multiSelect": multi}


def plan(text: str) -> tuple[TurnObject, TurnObject]:
    """Write a plan to the file that the CLI names, then ask to leave plan mode."""
    return (
        turn(call("Write", file_path=PLAN_FILE, content=text)),
        turn(call("ExitPlanMode", plan=text)),
    )
