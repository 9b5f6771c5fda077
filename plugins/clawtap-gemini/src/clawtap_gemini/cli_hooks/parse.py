"""Read the payloads of Gemini CLI's hooks.

The CLI draws a prompt only after its hooks returned, and lets none of them answer it: all of ours
report and return at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core import HookReport, Kind, PromptForm, Question, QuestionOption, hookimpl
from clawtap_core.protocol_io.hook_payload import session_report, tool_call
from clawtap_gemini.cli_hooks.config import EVENTS, STATES

_ASK, _SHELL = "ask_user", "run_shell_command"


@hookimpl
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Return whose hook it is, the session's state, and the call that it reports."""
    if event not in EVENTS:
        return None
    call = _tool_call(payload) if event in ("BeforeTool", "AfterTool") else _announced_call(payload)
    return replace(
        session_report(event, payload),
        form=None if event == "AfterTool" else call,
        tool_finished=call if event == "AfterTool" else None,
        state=STATES.get(event),
    )


def _tool_call(payload: Mapping[str, Any]) -> PromptForm | None:
    reported = tool_call(payload)
    if reported is None:
        return None
    tool, tool_input = reported
    if tool == _ASK:
        try:
            questions = tuple(_question(each) for each in tool_input.get("questions", ()))
        except (KeyError, TypeError, AttributeError):
            questions = ()
        subject = "\n".join(question.question for question in questions)
        return PromptForm(
            Kind.QUESTION,
            questions[0].question if questions else tool,
            subject=subject,
            tool_name=tool,
            tool_input=tool_input,
            questions=questions,
        )
    command = str(tool_input.get("command", "")) if tool == _SHELL else ""
    description = command or "\n".join(f"{name}: {value}" for name, value in tool_input.items())
    return PromptForm(Kind.PERMISSION, tool, description, tool_name=tool, tool_input=tool_input)


def _announced_call(payload: Mapping[str, Any]) -> PromptForm | None:
    details = payload.get("details")
    if payload.get("notification_type") != "ToolPermission" or not isinstance(details, Mapping):
        return None
    title, kind = str(details.get("title", "")), details.get("type")
    if kind == "exec":
        command = str(details.get("command", ""))
        tool_input = {"command": command}
        return PromptForm(Kind.PERMISSION, title, command, tool_name=_SHELL, tool_input=tool_input)
    if kind == "edit":
        diff = str(details.get("fileDiff", ""))
        tool_input = {"file_path": str(details.get("filePath", ""))}
        return PromptForm(Kind.PERMISSION, title, diff, tool_input=tool_input)
    return None


def _question(fields: Mapping[str, Any]) -> Question:
    options = [*fields.get("options", ())]
    if fields.get("type") == "yesno":
        options = [{"label": "Yes"}, {"label": "No"}]
    return Question(
        str(fields["question"]),
        str(fields.get("header") or ""),
        tuple(QuestionOption(str(each["label"]), each.get("description")) for each in options),
        multi_select=fields.get("multiSelect") is True,
        other=bool(fields.get("options")),
        placeholder=fields.get("placeholder"),
    )
