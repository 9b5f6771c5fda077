"""The Gemini CLI's hooks: which are installed, and what their payloads tell.

They hold the prompt back until they return, and cannot answer it: all of them only tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core import (
    HookConfig,
    HookEndpoint,
    HookReport,
    Kind,
    PromptForm,
    Question,
    QuestionOption,
    SessionState,
    hookimpl,
)
from clawtap_core.prompts.identity import squeeze

_MILLISECONDS = 5000
_STATES = {
    "SessionStart": SessionState.IDLE,
    "BeforeAgent": SessionState.BUSY,
    "BeforeTool": SessionState.BUSY,
    "AfterTool": SessionState.BUSY,
    "AfterAgent": SessionState.IDLE,
    "SessionEnd": SessionState.ENDED,
}
EVENTS = (*_STATES, "Notification")
_ASK, _SHELL = "ask_user", "run_shell_command"


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """Hooks that tell; timeouts are milliseconds."""
    hooks = {event: [_entry(endpoint, event)] for event in EVENTS}
    return HookConfig(".gemini/settings.json", {"hooks": hooks})


def _entry(endpoint: HookEndpoint, event: str) -> dict[str, Any]:
    command = endpoint.command("gemini", event)
    hook = {"type": "command", "name": "clawtap", "command": command, "timeout": _MILLISECONDS}
    return {"matcher": "*", "hooks": [hook]}


@hookimpl
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Whose hook it is, what the session does from now on, and the call that it tells of."""
    if event not in EVENTS:
        return None
    call = _call(payload) if event in ("BeforeTool", "AfterTool") else _told(payload)
    return HookReport(
        cli_session_id=_text(payload, "session_id"),
        transcript=_text(payload, "transcript_path"),
        cwd=_text(payload, "cwd"),
        conversation_start=(_text(payload, "source") or "startup")
        if event == "SessionStart"
        else None,
        form=None if event == "AfterTool" else call,
        tool_finished=call if event == "AfterTool" else None,
        state=_STATES.get(event),
    )


@hookimpl
def merge_prompt(seen: PromptForm, known: PromptForm) -> PromptForm | None:
    """One prompt of both: what the screen offers, with the whole call that is known."""
    if seen.kind is not known.kind or not _same(seen, known):
        return None
    longer = seen.truncated and len(known.description) > 0
    return replace(
        seen,
        tool_name=known.tool_name or seen.tool_name,
        tool_input=known.tool_input or seen.tool_input,
        subject=seen.subject or f"{seen.title}\n{seen.description}",
        description=known.description if longer else seen.description,
        truncated=seen.truncated and not longer,
        questions=_questions(seen, known),
        position=None if len(known.questions) > 1 else seen.position,
    )


def _call(payload: Mapping[str, Any]) -> PromptForm | None:
    """The call of a tool, with what it is given."""
    tool, given = payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(tool, str) or not isinstance(given, Mapping):
        return None
    if tool == _ASK:
        asked = _asked(given)
        subject = "\n".join(question.question for question in asked)
        title = asked[0].question if asked else tool
        return PromptForm(
            Kind.QUESTION, title, subject=subject, tool_name=tool, tool_input=given, questions=asked
        )
    command = str(given.get("command", "")) if tool == _SHELL else ""
    told = command or "\n".join(f"{name}: {value}" for name, value in given.items())
    return PromptForm(Kind.PERMISSION, tool, told, tool_name=tool, tool_input=given)


def _told(payload: Mapping[str, Any]) -> PromptForm | None:
    """What a notification tells of the prompt that follows: the command, or the diff."""
    told = payload.get("details")
    if payload.get("notification_type") != "ToolPermission" or not isinstance(told, Mapping):
        return None
    title, kind = str(told.get("title", "")), told.get("type")
    if kind == "exec":
        command = str(told.get("command", ""))
        given = {"command": command}
        return PromptForm(Kind.PERMISSION, title, command, tool_name=_SHELL, tool_input=given)
    if kind == "edit":
        given = {"file_path": str(told.get("filePath", ""))}
        return PromptForm(Kind.PERMISSION, title, str(told.get("fileDiff", "")), tool_input=given)
    return None


def _asked(given: Mapping[str, Any]) -> tuple[Question, ...]:
    try:
        return tuple(_question(each) for each in given.get("questions", ()))
    except (KeyError, TypeError, AttributeError):
        return ()


def _question(told: Mapping[str, Any]) -> Question:
    options = [*told.get("options", ())]
    if told.get("type") == "yesno":
        options = [{"label": "Yes"}, {"label": "No"}]
    return Question(
        str(told["question"]),
        str(told.get("header") or ""),
        tuple(QuestionOption(str(each["label"]), each.get("description")) for each in options),
        multi_select=told.get("multiSelect") is True,
        other=bool(told.get("options")),
        placeholder=told.get("placeholder"),
    )


def _same(seen: PromptForm, known: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        shown = squeeze(seen.questions[0].question) if seen.questions else ""
        return bool(shown) and any(squeeze(each.question) == shown for each in known.questions)
    given = known.tool_input or {}
    if known.tool_name and seen.tool_name and known.tool_name != seen.tool_name:
        return False
    if command := given.get("command"):
        return _holds(seen, str(command))
    if path := given.get("file_path"):
        name = str(path).rpartition("/")[2]
        return squeeze(name) in squeeze(f"{seen.title}\n{seen.description}")
    return known.tool_name is not None and known.tool_name == seen.tool_name


def _holds(seen: PromptForm, command: str) -> bool:
    """Whether the screen shows this command, as far as it shows one."""
    shown, whole = squeeze(seen.description), squeeze(command)
    if not seen.truncated:
        return whole in shown
    lines = [squeeze(line) for line in seen.description.split("\n") if len(line.strip()) > 3]
    return whole[:40] in shown or any(line in whole for line in lines)


def _questions(seen: PromptForm, known: PromptForm) -> tuple[Question, ...]:
    """All questions where there are several; of one, the screen knows how it is answered."""
    return known.questions if len(known.questions) > 1 else seen.questions


def _text(payload: Mapping[str, Any], name: str) -> str | None:
    found = payload.get(name)
    return found if isinstance(found, str) and found else None
