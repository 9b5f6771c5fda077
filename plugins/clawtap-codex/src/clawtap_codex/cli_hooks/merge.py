"""One prompt from what the screen shows and what a hook or the daemon reports."""

from __future__ import annotations

import re
from dataclasses import replace

from clawtap_core import Kind, PromptForm, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import may_be_one, merge_known, shows_question_of

_PATCH = "apply_patch"
_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_APPROVED = ("exec_command", "apply_patch", "write_stdin", "request_permissions")
_BY_TITLE = ("request_permissions", "write_stdin")


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the full call, or return None if they differ."""
    if not may_be_one(seen, reported) or not _is_same_call(seen, reported):
        return None
    # A permission prompt names the sub-agent that asks, so a call of another agent is not its.
    approval = seen.tool_name in _APPROVED and reported.tool_call_id is not None
    if approval and (seen.origin is None) != (reported.origin is None):
        return None
    # The screen names a tool in the CLI's own word, and may show more of its input.
    tool_name, shown = seen.tool_name or reported.tool_name, seen.tool_input or {}
    called = (reported.tool_input or {}).items()
    whole = all(shown.get(name) == value for name, value in called)
    # Only the screen shows which permissions a command gets as well.
    granted = {name: shown[name] for name in shown if name == "permissions"}
    tool_input = seen.tool_input if whole else {**(reported.tool_input or {}), **granted} or None
    return replace(merge_known(seen, reported), tool_name=tool_name, tool_input=tool_input)


def _is_same_call(seen: PromptForm, reported: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        return shows_question_of(seen, reported)
    if reported.tool_name == _PATCH:
        return seen.tool_name == _PATCH and _is_same_patch(seen, reported)
    if reported.tool_name and reported.tool_name.startswith("mcp__"):
        tool = reported.tool_name.rpartition("__")[2]
        return seen.tool_name == reported.tool_name or squeeze(tool) in squeeze(seen.title)
    if seen.tool_name not in (None, reported.tool_name):
        return False
    if reported.tool_name in _BY_TITLE or "." in (reported.tool_name or ""):
        return squeeze(seen.title) == squeeze(reported.title)
    # The daemon puts the reason before the command, so the command alone is compared too.
    command = (reported.tool_input or {}).get("command")
    texts = [reported.description, *([command] if isinstance(command, str) else [])]
    shown = squeeze(seen.description)
    lines = seen.description.split("\n") if seen.truncated else []
    pieces = [squeeze(line) for line in lines if len(line.strip()) > 3]
    return any(
        whole in shown or any(piece in whole for piece in pieces) for whole in map(squeeze, texts)
    )


def _is_same_patch(seen: PromptForm, reported: PromptForm) -> bool:
    """Return True if the screen names a file of this patch, or the patch names none."""
    if seen.description == reported.description:
        return True
    changes = (reported.tool_input or {}).get("changes")
    paths = [str(change.get("path", "")) for change in changes] if isinstance(changes, list) else []
    names = [path.rpartition("/")[2] for path in (*paths, *_FILE.findall(reported.description))]
    shown = f"{seen.description}\n{seen.subject}"
    return not names or any(name in shown for name in names)
