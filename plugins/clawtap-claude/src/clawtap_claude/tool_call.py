"""Build the prompt for a tool call that a hook, a protocol or a transcript reports."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clawtap_claude.screen.plans import CHANGE, READY
from clawtap_claude.screen.plans import TOOL as PLAN
from clawtap_claude.screen.questions import TOOL as QUESTIONS
from clawtap_claude.suggestions import lasting_options
from clawtap_core import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    TextInput,
)

YES = Option("yes", "Yes", Effect.ALLOW_ONCE)
NO = Option("no", "No", Effect.DENY)
_PLAN_OPTIONS = (
    Option("yes-auto-accept-edits", "Yes, auto-accept edits", Effect.ALLOW_ALWAYS),
    Option("yes-manually-approve-edits", "Yes, manually approve edits", Effect.ALLOW_ONCE),
)
_TITLES = {
    "Bash": "Bash command",
    "Write": "Write file",
    "Edit": "Edit file",
    "Read": "Read file",
    "WebFetch": "Fetch",
}


def prompt_of_call(
    tool: str,
    tool_input: Mapping[str, Any],
    *,
    call: str | None = None,
    suggestions: Sequence[Any] = (),
    origin: str | None = None,
) -> PromptForm:
    """Return the prompt that the CLI shows for this call."""
    common: dict[str, Any] = {
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_call_id": call,
        "origin": origin,
    }
    if tool == QUESTIONS and (asked := _questions(tool_input)):
        title = asked[0].header or asked[0].question
        subject = "\n".join(question.question for question in asked)
        return PromptForm(Kind.QUESTION, title, subject=subject, questions=asked, **common)
    if tool == PLAN:
        plan = str(tool_input.get("plan", ""))
        change = TextInput(CHANGE)
        return PromptForm(
            Kind.PLAN, READY, plan, options=_PLAN_OPTIONS, text_input=change, **common
        )
    return PromptForm(
        Kind.PERMISSION,
        _TITLES.get(tool, tool),
        _described(tool, tool_input),
        options=(YES, *lasting_options(suggestions), NO),
        **common,
    )


def _questions(tool_input: Mapping[str, Any]) -> tuple[Question, ...]:
    """Return the questions, or none if one is malformed."""
    records = tool_input.get("questions")
    try:
        return tuple(_question(each) for each in records or ())
    except (KeyError, TypeError, AttributeError):
        return ()


def _question(record: Mapping[str, Any]) -> Question:
    options = tuple(
        QuestionOption(str(each["label"]), each.get("description"), each.get("preview"))
        for each in record["options"]
    )
    several = record.get("multiSelect") is True
    header = str(record.get("header") or "")
    return Question(str(record["question"]), header, options, several, other=True)


def _described(tool: str, tool_input: Mapping[str, Any]) -> str:
    parts: Iterable[Any]
    if tool == "Bash":
        parts = (tool_input.get("command"), tool_input.get("description"))
    elif tool == "Write":
        parts = (tool_input.get("file_path"), tool_input.get("content"))
    elif tool == "Edit":
        parts = (tool_input.get("file_path"), _diff(tool_input))
    else:
        parts = (f"{name}: {_to_text(value)}" for name, value in tool_input.items())
    return "\n".join(str(part) for part in parts if part)


def _diff(tool_input: Mapping[str, Any]) -> str:
    old, new = (str(tool_input.get(name, "")).splitlines() for name in ("old_string", "new_string"))
    lines = difflib.unified_diff(old, new, lineterm="", n=3)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
