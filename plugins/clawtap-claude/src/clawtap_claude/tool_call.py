"""Build the prompt for a tool call that a hook, a protocol or a transcript reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from clawtap_claude.screen.plans import AUTO_ACCEPT, CHANGE, READY
from clawtap_claude.screen.plans import TOOL as PLAN
from clawtap_claude.screen.questions import TOOL as QUESTIONS
from clawtap_claude.suggestions import ACCEPT_EDITS, lasting_options
from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption, TextInput
from clawtap_core.prompts.merging import describe_change

YES = Option("yes", "Yes", Effect.ALLOW_ONCE)
NO = Option("no", "No", Effect.DENY)
_PLAN_OPTIONS = (
    Option("yes-auto-accept-edits", AUTO_ACCEPT, Effect.ALLOW_ALWAYS, data=ACCEPT_EDITS),
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
    suggestions: object = None,
    origin: str | None = None,
) -> PromptForm:
    """Return the prompt that the CLI shows for this call."""
    common: dict[str, Any] = {
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_call_id": call,
        "origin": origin,
    }
    if tool == QUESTIONS and (questions := questions_of(tool_input.get("questions"))):
        title = questions[0].header or questions[0].question
        subject = "\n".join(question.question for question in questions)
        return PromptForm(Kind.QUESTION, title, subject=subject, questions=questions, **common)
    if tool == PLAN:
        plan = str(tool_input.get("plan", ""))
        options, change = _PLAN_OPTIONS, TextInput(CHANGE)
        return PromptForm(Kind.PLAN, READY, plan, options=options, text_input=change, **common)
    return PromptForm(
        Kind.PERMISSION,
        _TITLES.get(tool, tool),
        _described(tool, tool_input),
        options=(YES, *lasting_options(suggestions), NO),
        **common,
    )


def questions_of(records: Any) -> tuple[Question, ...]:
    """Return the questions, or none if one is malformed."""
    try:
        return tuple(
            Question(
                str(record["question"]),
                str(record.get("header") or ""),
                tuple(
                    QuestionOption(str(row["label"]), row.get("description"), row.get("preview"))
                    for row in record["options"]
                ),
                multi_select=record.get("multiSelect") is True,
                other=True,
            )
            for record in records or ()
        )
    except (KeyError, TypeError, AttributeError):
        return ()


def _described(tool: str, tool_input: Mapping[str, Any]) -> str:
    parts: Iterable[Any]
    if tool in ("Write", "Edit"):
        return describe_change(tool_input)
    if tool == "Bash":
        parts = (tool_input.get("command"), tool_input.get("description"))
    else:
        parts = (
            f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
            for name, value in tool_input.items()
        )
    return "\n".join(str(part) for part in parts if part)
