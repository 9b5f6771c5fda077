"""Turns of the scripted model that make OpenCode ask something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_core.testing.scripted.turns import Part, TurnObject, call, turn


def shell(command: str) -> TurnObject:
    """Run a shell command."""
    return turn(_command(command))


def write(path: object, content: str) -> TurnObject:
    """Write a whole file."""
    return turn(call("write", filePath=str(path), content=content))


def edit(path: object, old: str, new: str) -> TurnObject:
    """Replace text in a file."""
    return turn(call("edit", filePath=str(path), oldString=old, newString=new))


def read(path: object) -> TurnObject:
    """Read a file."""
    return turn(call("read", filePath=str(path)))


def fetch(url: str) -> TurnObject:
    """Fetch a page."""
    return turn(call("webfetch", url=url, format="text"))


def ask(*questions: Mapping[str, Any]) -> TurnObject:
    """Ask the user."""
    return turn(call("question", questions=list(questions)))


def choice(
    question: str, *labels: str, header: str = "Choice", multi: bool = False
) -> dict[str, Any]:
    """A question with options."""
    options = [{"label": label, "description": f"About {label}"} for label in labels]
    return {"question": question, "header": header, "options": options, "multiple": multi}


def task(name: str, prompt: str) -> TurnObject:
    """Have a subagent do something: turns "to" its prompt are its own."""
    return turn(call("task", description=name, prompt=prompt, subagent_type="general"))


def parallel(commands: Sequence[str]) -> TurnObject:
    """Several shell commands at once."""
    return turn(*map(_command, commands))


def _command(command: str) -> Part:
    return call("bash", command=command, description="Runs it")
