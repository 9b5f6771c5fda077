"""Turns of the scripted model that make GitHub Copilot CLI ask something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_core.testing.scripted.turns import Part, TurnObject, call, turn


def shell(command: str) -> TurnObject:
    """Run a shell command."""
    return turn(_command(command))


def write(path: object, content: str) -> TurnObject:
    """Write a new file."""
    return turn(call("create", path=str(path), file_text=content))


def edit(path: object, old: str, new: str) -> TurnObject:
    """Replace text in a file."""
    return turn(call("edit", path=str(path), old_str=old, new_str=new))


def read(path: object) -> TurnObject:
    """Read a file."""
    return turn(call("view", path=str(path)))


def add(a: int, b: int) -> TurnObject:
    """Call a tool of the MCP server."""
    return turn(call("lab-add", a=a, b=b))


def form(message: str, **fields: Mapping[str, Any]) -> TurnObject:
    """Ask by a form; the model turns it into one question for a CLI that takes no forms."""
    schema = {"properties": fields, "required": list(fields)}
    return turn(call("ask_user", message=message, requestedSchema=schema))


def ask(question: Mapping[str, Any]) -> TurnObject:
    """Ask one question."""
    return form(question["title"], answer=question)


def choice(question: str, *labels: str) -> dict[str, Any]:
    """A question with options."""
    return one_of(question, *labels)


def one_of(title: str, *labels: str) -> dict[str, Any]:
    """A field that takes one of some values."""
    return {"type": "string", "title": title, "enum": list(labels)}


def some_of(title: str, *labels: str) -> dict[str, Any]:
    """A field that takes several values."""
    return {"type": "array", "title": title, "items": {"type": "string", "enum": list(labels)}}


def plan(summary: str) -> TurnObject:
    """Show a plan; older versions have to be given the options."""
    actions = ["interactive", "autopilot", "exit_only"]
    return turn(call("exit_plan_mode", summary=summary, actions=actions))


def task(name: str, prompt: str) -> TurnObject:
    """Have a subagent do something: turns "to" its prompt are its own."""
    kind = {"agent_type": "general-purpose", "mode": "sync"}
    return turn(call("task", name="helper", description=name, prompt=prompt, **kind))


def parallel(commands: Sequence[str]) -> TurnObject:
    """Several shell commands at once."""
    return turn(*map(_command, commands))


def _command(command: str) -> Part:
    return call("bash", command=command, description="Runs it")
