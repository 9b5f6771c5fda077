"""Match the prompt on the screen with the call that a hook reported."""

from __future__ import annotations

from clawtap_core import Kind, PromptForm, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import (
    may_be_one,
    may_have_drawn,
    merge_known,
    shows_question_of,
)
from clawtap_core.prompts.sanitize import has_control_chars


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Combine what the screen offers with the whole call; None when they are two prompts."""
    if not may_be_one(seen, reported) or not _same_call(seen, reported):
        return None
    return merge_known(seen, reported)


def _same_call(seen: PromptForm, reported: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        return shows_question_of(seen, reported)
    if reported.tool_name and seen.tool_name and reported.tool_name != seen.tool_name:
        return False
    tool_input = reported.tool_input or {}
    if command := tool_input.get("command"):
        if has_control_chars(str(command)):
            return may_have_drawn(seen, {"command": command})
        shown, whole = squeeze(seen.description), squeeze(str(command))
        if not seen.truncated:
            return whole in shown
        # Of a long command the screen shows the beginning, or some lines.
        lines = [squeeze(line) for line in seen.description.split("\n") if len(line.strip()) > 3]
        return whole[:40] in shown or any(line in whole for line in lines)
    if path := tool_input.get("file_path"):
        name = str(path).rpartition("/")[2]
        return squeeze(name) in squeeze(f"{seen.title}\n{seen.description}")
    return reported.tool_name is not None and reported.tool_name == seen.tool_name
