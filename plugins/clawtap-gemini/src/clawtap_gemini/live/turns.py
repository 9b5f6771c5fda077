"""Turns of the scripted Gemini model that make the CLI ask something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_core.testing.scripted.turns import TurnObject, call, turn
from clawtap_gemini.live.wire import PLAN_FILE


def shell(command: str) -> TurnObject:
    """Run a shell command."""
    return turn(call("run_shell_command", command=command, description="Runs it"))


def write(path: object, content: str) -> TurnObject:
    """Write a whole file."""
    return turn(call("write_file", file_path=str(path), content=content))


def edit(path: object, old: str, new: str) -> TurnObject:
    """Replace text in a file."""
    arguments = {"file_path": str(path), "old_string": old, "new_string": new}
    return turn(call("replace", instruction="Replace it", **arguments))


def fetch(url: str) -> TurnObject:
    """Fetch a page."""
    return turn(call("web_fetch", prompt=f"Summarise {url}"))


def mcp(tool: str, **arguments: Any) -> TurnObject:
    """Call a tool of the lab's MCP server."""
    return turn(call(f"mcp_lab_{tool}", **arguments))


def ask(*questions: Mapping[str, Any]) -> TurnObject:
    """Ask the user."""
    return turn(call("ask_user", questions=list(questions)))


def choice(
    question: str, *labels: str, header: str = "Choice", multi: bool = False
) -> dict[str, Any]:
    """A question with options."""
    options = [{"label": label, "description": f"About {label}"} for label in labels]
    kind = {"type": "choice", "multiSelect": multi}
    return {"question": question, "header": header, "options": options, **kind}


def text(question: str, *, header: str = "Text", placeholder: str = "") -> dict[str, Any]:
    """A question with a text field."""
    return {"question": question, "header": header, "type": "text", "placeholder": placeholder}


def yes_no(question: str, *, header: str = "Sure") -> dict[str, Any]:
    """A question with yes and no."""
    return {"question": question, "header": header, "type": "yesno"}


def enter_plan() -> TurnObject:
    """Propose to plan first."""
    return turn(call("enter_plan_mode", reason="This needs a plan"))


def plan(text: str) -> tuple[TurnObject, TurnObject]:
    """Write a plan where the CLI keeps plans, in plan mode, then show it."""
    return (
        turn(call("write_file", file_path=PLAN_FILE, content=text)),
        turn(call("exit_plan_mode", plan_path=PLAN_FILE)),
    )


def parallel(commands: Sequence[str]) -> TurnObject:
    """Several shell commands at once."""
    calls = (call("run_shell_command", command=command, description="x") for command in commands)
    return turn(*calls)


QUOTA = {
    "status": 429,
    "error": {
        "error": {
            "code": 429,
            "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota.",
            "details": [
                {
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [
                        {
                            "quotaMetric": "generativelanguage.googleapis.com/requests",
                            "quotaId": "GenerateRequestsPerDayPerProjectPerModel",
                        }
                    ],
                }
            ],
        }
    },
}
