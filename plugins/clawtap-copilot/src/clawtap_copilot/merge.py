"""Match a prompt on the screen with a call that the transcript reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_copilot.screen.form import ASK
from clawtap_copilot.screen.plans import PLAN
from clawtap_copilot.words import WORDS
from clawtap_core import Kind, PromptForm, Question, QuestionOption, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import (
    describe_change,
    draws,
    may_have_drawn,
    merge_known,
    names_file,
    shows_question_of,
)
from clawtap_core.protocol_io.elicitation import questions_of
from clawtap_core.protocol_io.json_values import mapping

_YES_OR_NO = tuple(map(QuestionOption, WORDS.texts("form.yes_or_no")))
_FILE = WORDS.pattern("permissions.file")
_FILES = ("create", "edit")


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Complete the prompt on the screen with the whole call, or return None if they differ."""
    call = reported.tool_input
    if seen.kind is Kind.QUESTION and reported.tool_name == ASK and call is not None:
        asked = replace(reported, kind=Kind.QUESTION, questions=_fields_of(call))
        return merge_known(seen, asked) if shows_question_of(seen, asked) else None
    if call is None or seen.tool_name is None or seen.kind not in (Kind.PERMISSION, Kind.PLAN):
        return None
    if not _same(seen, reported.tool_name or "", call):
        return None
    return merge_known(seen, replace(reported, description=_description(seen.tool_name, call)))


def _description(tool: str, call: Mapping[str, Any]) -> str:
    if tool in _FILES:
        return describe_change(call)
    names = {"bash": ("command", "description"), PLAN: ("summary",)}.get(tool, ())
    return "\n".join(str(call[name]) for name in names if call.get(name))


def _fields_of(call: Mapping[str, Any]) -> tuple[Question, ...]:
    """Return the fields of a form as its tabs will show them; a form without tabs has a message."""
    fields = questions_of(mapping(call.get("requestedSchema")))
    message = str(call.get("message", "")) if len(fields) == 1 else None
    return tuple(_as_drawn(field, message) for field in fields)


def _as_drawn(field: Question, message: str | None) -> Question:
    label, about = (field.header, field.question) if field.header else (field.question, "")
    words = (label if message is None else message, about)
    options = _YES_OR_NO if field.input_type == "boolean" else field.options
    return Question(
        "\n".join(word for word in words if word),
        header=label,
        options=options,
        multi_select=field.multi_select,
        other=bool(options),
        input_type=None if options else "text",
    )


def _same(seen: PromptForm, tool: str, call: Mapping[str, Any]) -> bool:
    if seen.tool_name == "bash" and tool == "bash":
        command = str(call.get("command", ""))
        return (
            may_have_drawn(seen, {"": command}) if draws(call) else _shows(seen, squeeze(command))
        )
    if seen.tool_name in _FILES and tool in _FILES:
        asks = _FILE.match(seen.title)
        return asks is not None and names_file(asks["path"], call.get("path"))
    if seen.kind is Kind.PLAN:
        return tool == PLAN
    # Tools of MCP servers.
    return seen.tool_name == tool and (seen.truncated or seen.tool_input == call)


def _shows(seen: PromptForm, command: str) -> bool:
    """Return True if the command is on the screen, or its end where the rest is cut off."""
    shown = squeeze(seen.description)
    if not seen.truncated:
        return bool(command) and shown.startswith(command)
    first = squeeze(seen.description.split("\n")[0])
    return bool(first) and first in command
