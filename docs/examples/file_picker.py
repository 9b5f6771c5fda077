"""A file picker, an interactive tool of your own; see docs/interactive-tools.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clawtap_claude.sdk import CanUseTool, allowed, can_use_tool, denied, in_thread

from clawtap_core.client.ask import Asking
from clawtap_core.model import (
    Effect,
    Kind,
    Option,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
)

TOOL = "PickFile"
MOST = 50


def file_form(folder: Path, pattern: str = "*") -> PromptForm:
    """Return a question with one option per file; another path may be typed."""
    files = sorted(path for path in folder.rglob(pattern) if path.is_file())[:MOST]
    options = tuple(
        QuestionOption(path.relative_to(folder).as_posix(), f"{path.stat().st_size} bytes")
        for path in files
    )
    return PromptForm(
        Kind.QUESTION,
        f"Which file of {folder.name}?",
        tool_name=TOOL,
        tool_input={"folder": str(folder), "pattern": pattern},
        questions=(Question("Which file?", "File", options, other=True),),
        options=(Option("none", "None of them", Effect.DENY),),
    )


def pick_file(tap: Asking, folder: Path, pattern: str = "*", **more: Any) -> Path | None:
    """Ask, wait, and return the chosen file."""
    prompt = tap.ask(file_form(folder, pattern), **more)
    while prompt.state.open:
        prompt = tap.wait(prompt.request_id, 20)
    return chosen_file(folder, prompt)


def chosen_file(folder: Path, prompt: Prompt) -> Path | None:
    """Return the chosen file if it exists in the folder."""
    if prompt.state is not PromptState.ANSWERED or not prompt.resolution:
        return None
    response = prompt.resolution.response
    name = str(response.answers.get("0", "")) if response else ""
    path = (folder / name).resolve()
    return path if path.is_file() and path.is_relative_to(folder.resolve()) else None


def with_file_picker(tap: Asking, folder: Path) -> CanUseTool:
    """Return the SDK's callback, with this tool in addition to ClawTap's two."""
    others = can_use_tool(tap)

    async def decide(tool: str, arguments: dict[str, Any], context: Any = None) -> Any:
        if tool != TOOL:
            return await others(tool, arguments, context)
        path = await in_thread(pick_file, tap, folder, arguments.get("pattern", "*"))
        return allowed({**arguments, "path": str(path)}) if path else denied("no file was chosen")

    return decide
