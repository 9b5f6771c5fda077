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
def merge_prompt(seen: PromptForm, known: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the full call, or return None if they differ."""
    if not may_be_one(seen, known) or _of_another(seen, known) or not _same(seen, known):
        return None
    # The screen names a tool in the CLI's own word, and may show more of its input.
    tool_input = seen.tool_input if _equal(seen, known) else known.tool_input
    tool_name = seen.tool_name or known.tool_name
    return replace(merge_known(seen, known), tool_name=tool_name, tool_input=tool_input)


def _of_another(seen: PromptForm, known: PromptForm) -> bool:
    """Return True if another agent made the call; permission prompts name a sub-agent."""
    approval = seen.tool_name in _APPROVED and known.tool_call_id is not None
    return approval and (seen.origin is None) != (known.origin is None)


def _equal(seen: PromptForm, known: PromptForm) -> bool:
    """Return True if the screen has every field of the reported input."""
    if seen.tool_input is None or known.tool_input is None:
        return known.tool_input is None
    return all(seen.tool_input.get(name) == value for name, value in known.tool_input.items())


def _same(seen: PromptForm, known: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        return shows_question_of(seen, known)
    if known.tool_name == _PATCH:
        return seen.tool_name == _PATCH and _files(seen, known)
    if known.tool_name and known.tool_name.startswith("mcp__"):
        tool = known.tool_name.rpartition("__")[2]
        return seen.tool_name == known.tool_name or squeeze(tool) in squeeze(seen.title)
    if seen.tool_name not in (None, known.tool_name):
        return False
    if known.tool_name in _BY_TITLE or "." in (known.tool_name or ""):
        return squeeze(seen.title) == squeeze(known.title)
    shown = squeeze(seen.description)
    return any(
        whole in shown or (seen.truncated and any(piece in whole for piece in _pieces(seen)))
        for whole in map(squeeze, _told(known))
    )


def _told(known: PromptForm) -> tuple[str, ...]:
    """Return the texts of the call; a daemon puts the reason before the command."""
    command = (known.tool_input or {}).get("command")
    return (command, known.description) if isinstance(command, str) else (known.description,)


def _files(seen: PromptForm, known: PromptForm) -> bool:
    """Return True if the screen names a file of this patch, or none at all."""
    if seen.description == known.description:
        return True
    changes = (known.tool_input or {}).get("changes")
    told = [str(each.get("path", "")) for each in changes] if isinstance(changes, list) else []
    names = [path.rpartition("/")[2] for path in (*told, *_FILE.findall(known.description))]
    shown = f"{seen.description}\n{seen.subject}"
    return not names or any(name in shown for name in names)


def _pieces(seen: PromptForm) -> list[str]:
    return [squeeze(line) for line in seen.description.split("\n") if len(line.strip()) > 3]
