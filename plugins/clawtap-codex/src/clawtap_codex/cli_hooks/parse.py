"""What the payloads of the CLI's hooks report.

The CLI shows no prompt until PermissionRequest returns, so that one returns at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_codex.screen.questions import NONE_OF_THEM
from clawtap_core import (
    HookReport,
    Kind,
    PromptForm,
    Question,
    QuestionOption,
    SessionState,
    hookimpl,
)
from clawtap_core.protocol_io.hook_payload import session_report, text_field, tool_call

_STATES = {
    "SessionStart": SessionState.BUSY,
    "UserPromptSubmit": SessionState.BUSY,
    "PreToolUse": SessionState.BUSY,
    "PostToolUse": SessionState.BUSY,
    "Stop": SessionState.IDLE,
    "SessionEnd": SessionState.ENDED,
}
EVENTS = (*_STATES, "PermissionRequest")
ASK, _SHELL = "request_user_input", "Bash"
_TOOLS = {_SHELL: "exec_command"}


@hookimpl
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Parse a payload into its session, its state and the call it reports."""
    if event not in EVENTS:
        return None
    call = _call(payload)
    return replace(
        session_report(event, payload),
        form=call if event in ("PreToolUse", "PermissionRequest") else None,
        tool_finished=call if event == "PostToolUse" else None,
        state=_STATES.get(event),
        model=text_field(payload, "model"),
    )


def _call(payload: Mapping[str, Any]) -> PromptForm | None:
    reported = tool_call(payload)
    if reported is None:
        return None
    tool, tool_input = reported
    call, name = text_field(payload, "tool_use_id"), _TOOLS.get(tool, tool)
    if tool == ASK:
        return question_form(tool_input, call)
    command = tool_input.get("command")
    text = (
        command
        if isinstance(command, str)
        else "\n".join(f"{k}: {v}" for k, v in tool_input.items())
    )
    return PromptForm(
        Kind.PERMISSION,
        name,
        text.rstrip(),
        tool_name=name,
        tool_input=tool_input,
        tool_call_id=call,
        # No hook reports the folder that a command runs in.
        rewrapped=tool == _SHELL,
    )


def question_form(tool_input: Mapping[str, Any], call: str | None) -> PromptForm:
    """Return the prompt of a call that asks questions, all of them in one."""
    asked = _asked(tool_input)
    return PromptForm(
        Kind.QUESTION,
        asked[0].question if asked else ASK,
        subject="\n".join(question.question for question in asked),
        tool_name=ASK,
        tool_input=tool_input,
        tool_call_id=call,
        questions=asked,
    )


def _asked(tool_input: Mapping[str, Any]) -> tuple[Question, ...]:
    try:
        return tuple(_question(each) for each in tool_input.get("questions", ()))
    except (KeyError, TypeError, AttributeError):
        return ()


def _question(record: Mapping[str, Any]) -> Question:
    """Build a question as its page will show it: with a last option for a free answer."""
    options = [
        (str(option["label"]), option.get("description")) for option in record.get("options") or ()
    ]
    if options:
        options.append((NONE_OF_THEM, None))
    return Question(
        str(record["question"]),
        str(record.get("header") or ""),
        tuple(QuestionOption(*option) for option in options),
        other=bool(options),
        notes=bool(options),
    )
