"""A file picker, an interactive tool of one's own: docs/interactive-tools.md adds it."""

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
    """The question: one option for each file; another path may be typed."""
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
    """Ask, wait, and read the answer."""
    asked = tap.ask(file_form(folder, pattern), **more)
    while asked.state.open:
        asked = tap.wait(asked.request_id, 20)
    return chosen_file(folder, asked)


def chosen_file(folder: Path, ended: Prompt) -> Path | None:
    """The file that was chosen; None when nobody chose one, or it is not in the folder."""
    if ended.state is not PromptState.ANSWERED or not ended.resolution:
        return None
    response = ended.resolution.response
    name = str(response.answers.get("0", "")) if response else ""
    path = (folder / name).resolve()
    return path if path.is_file() and path.is_relative_to(folder.resolve()) else None


def with_file_picker(tap: Asking, folder: Path) -> CanUseTool:
    """The SDK's callback, which knows this tool beside ClawTap's two."""
    others = can_use_tool(tap)

    async def decide(tool: str, given: dict[str, Any], context: Any = None) -> Any:
        if tool != TOOL:
            return await others(tool, given, context)
        path = await in_thread(pick_file, tap, folder, given.get("pattern", "*"))
        return allowed({**given, "path": str(path)}) if path else denied("no file was chosen")

    return decide
