"""Complete a prompt on the screen with the call that the transcript has while it is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from clawtap_core import Kind, PromptForm, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import (
    describe_change,
    draws,
    may_be_one,
    may_have_drawn,
    merge_known,
    reported_questions,
    shows_question_of,
)
from clawtap_qwen.screen.permissions import PLAN, SHELL
from clawtap_qwen.screen.questions import ASK, is_review
from clawtap_qwen.words import WORDS

_NAMES = WORDS.pattern("permissions.names")
_HIDDEN = WORDS.pattern("block.hidden")
_KINDS = {ASK: Kind.QUESTION, PLAN: Kind.PLAN}
# The arguments of a call that its prompt shows, and their names there.
_TEXTS = {SHELL: "command", PLAN: "plan"}
_SHOWN = {"web_fetch": "url", "agent": "description", SHELL: "command"}
_FILES = ("edit", "write_file")


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the whole call, or return None if they differ."""
    tool, arguments = reported.tool_name, reported.tool_input
    if tool is None or arguments is None:
        return None
    call = replace(
        reported,
        kind=_KINDS.get(tool, Kind.PERMISSION),
        description=_description(tool, arguments),
        questions=reported_questions(arguments.get("questions"), multi_select="multiSelect")
        if tool == ASK
        else (),
    )
    if not may_be_one(seen, call) or seen.tool_name not in (tool, None):
        return None
    drawn = tool == SHELL and draws({"command": call.description})
    same = _may_have_drawn(seen, call.description) if drawn else _shows(seen, call, arguments)
    return merge_known(seen, call) if same else None


def _description(tool: str, arguments: Mapping[str, Any]) -> str:
    if tool in _FILES:
        return describe_change(arguments)
    return str(arguments.get(_TEXTS.get(tool, ""), ""))


def _may_have_drawn(seen: PromptForm, command: str) -> bool:
    """Return True if a part of the command is on the screen."""
    if may_have_drawn(seen, {"command": command}):
        return True
    # A carriage return writes one part over the other, and over the dialog's margin.
    shown = f"{seen.title}\n{seen.description}"
    return "\r" in command and any(word in shown for word in command.split() if len(word) > 3)


def _shows(seen: PromptForm, call: PromptForm, arguments: Mapping[str, Any]) -> bool:
    if seen.kind is Kind.QUESTION:
        return is_review(seen) or shows_question_of(seen, call)
    tool = call.tool_name or ""
    if tool in _TEXTS and seen.truncated:
        return _overlaps(seen, call.description)
    shown = squeeze(seen.description)
    if tool in _FILES:
        return squeeze(PurePosixPath(str(arguments.get("file_path", ""))).name) in shown
    if name := _SHOWN.get(tool):
        return squeeze(str(arguments.get(name, ""))) in shown
    return seen.tool_name == tool


def _overlaps(seen: PromptForm, whole: str) -> bool:
    """Return True if each row in view is a part of the whole text, or of the call's headline."""
    rows = [row for row in seen.description.split("\n") if not _HIDDEN.fullmatch(row.strip())]
    parts = [squeeze(row).split("(")[0] for row in rows]
    text = squeeze(whole)
    if not any(parts):
        # A low pane has no room for a row of it. Only a plan asks as it does; the question about
        # a command names its programs.
        if seen.kind is Kind.PLAN:
            return True
        match = _NAMES.fullmatch(seen.title)
        parts = list(map(squeeze, match["names"].split(", "))) if match else []
    return any(parts) and all(part in text for part in parts)
