"""Turns of the scripted model that make Kimi Code ask something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_core.testing.scripted.turns import Part, TurnObject, call, turn


def shell(command: str) -> TurnObject:
    """Run a shell command."""
    return turn(_command(command))


def write(path: object, content: str) -> TurnObject:
    """Write a whole file."""
    return turn(call("Write", path=str(path), content=content))


def read(path: object) -> TurnObject:
    """Read a file."""
    return turn(call("Read", path=str(path)))


def edit(path: object, old: str, new: str) -> TurnObject:
    """Replace text in a file."""
    return turn(call("Edit", path=str(path), old_string=old, new_string=new))


def fetch(url: str) -> TurnObject:
    """Fetch a page."""
    return turn(call("FetchURL", url=url))


def mcp(tool: str, **arguments: Any) -> TurnObject:
    """Call a tool of the lab's MCP server."""
    return turn(call(f"mcp__lab__{tool}", **arguments))


def ask(*questions: Mapping[str, Any]) -> TurnObject:
    """Ask the user."""
    return turn(call("AskUserQuestion", questions=list(questions)))


def choice(
    question: str, *labels: str, header: str = "Choice", multi: bool = False
) -> dict[str, Any]:
    """A question with options."""
    options = [{"label": label, "description": f"About {label}"} for label in labels]
    return {"question": question, "header": header, "options": options, "multi_select": multi}


def enter_plan() -> TurnObject:
    """Go into plan mode."""
    return turn(call("EnterPlanMode"))


def plan() -> TurnObject:
    """Show the plan, in plan mode."""
    return turn(call("ExitPlanMode"))


def task(name: str, prompt: str) -> TurnObject:
    """Have a subagent do something: turns "to" its prompt are its own."""
    return turn(call("Agent", description=name, prompt=prompt, subagent_type="coder"))


def parallel(commands: Sequence[str]) -> TurnObject:
    """Several shell commands at once."""
    return turn(*map(_command, commands))


def _command(command: str) -> Part:
    return call("Bash", command=command, description="Runs it")
