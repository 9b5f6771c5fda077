"""Complete a prompt on the screen with the call that the transcript has while it is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core import Kind, PromptForm, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import (
    describe_change,
    draws,
    may_be_one,
    may_have_drawn,
    merge_known,
    names_file,
    reported_questions,
    shows_question_of,
)
from clawtap_kimi.screen.permissions import BASH, EDIT, PLAN, WRITE
from clawtap_kimi.screen.questions import ASK, is_review
from clawtap_kimi.words import WORDS

_FILE = WORDS.pattern("permissions.file")
_KINDS = {ASK: Kind.QUESTION, PLAN: Kind.PLAN}
_TEXTS = {BASH: "command", PLAN: "plan"}


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the whole call, or return None if they differ."""
    tool, arguments = reported.tool_name, reported.tool_input
    if tool is None or arguments is None or seen.dialog:
        return None
    call = replace(
        reported,
        kind=_KINDS.get(tool, Kind.PERMISSION),
        description=_description(tool, arguments),
        questions=reported_questions(arguments.get("questions"), multi_select="multi_select")
        if tool == ASK
        else (),
    )
    if not may_be_one(seen, call) or seen.tool_name not in (tool, None):
        return None
    if not _shows(seen, call, arguments):
        return None
    return merge_known(seen, call)


def _description(tool: str, arguments: Mapping[str, Any]) -> str:
    if tool in (WRITE, EDIT):
        return describe_change(arguments)
    return str(arguments.get(_TEXTS.get(tool, ""), ""))


def _shows(seen: PromptForm, call: PromptForm, arguments: Mapping[str, Any]) -> bool:
    if seen.kind is Kind.QUESTION:
        return is_review(seen) or shows_question_of(seen, call)
    shown = squeeze(seen.description)
    if call.tool_name == BASH:
        command = squeeze(str(arguments.get("command", "")))
        if draws(arguments):
            return may_have_drawn(seen, arguments)
        return _overlaps(seen, command) if seen.truncated else bool(command) and command in shown
    if call.tool_name in (WRITE, EDIT):
        named = _FILE.fullmatch(seen.description.split("\n")[0])
        return named is not None and names_file(named["path"], arguments.get("path"))
    return seen.tool_name == call.tool_name


def _overlaps(seen: PromptForm, command: str) -> bool:
    """Return True if the first row in view is a part of the command."""
    first = squeeze(seen.description.split("\n")[0])
    return bool(first) and first in command
