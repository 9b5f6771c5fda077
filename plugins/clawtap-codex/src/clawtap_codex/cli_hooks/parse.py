"""The Codex CLI's hooks: which are installed, and what their payloads tell.

PermissionRequest holds the prompt back until it returns: it only tells, and returns at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_codex.screen.questions import NONE_OF_THEM
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

_SECONDS = 5
_STATES = {
    "SessionStart": SessionState.BUSY,
    "UserPromptSubmit": SessionState.BUSY,
    "PreToolUse": SessionState.BUSY,
    "PostToolUse": SessionState.BUSY,
    "Stop": SessionState.IDLE,
    "SessionEnd": SessionState.ENDED,
}
EVENTS = (*_STATES, "PermissionRequest")
_OLD_EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
_FEATURE = {"features": {"codex_hooks": True}}
_NUMBER = re.compile(r"(\d+)\.(\d+)")
_FIRST = (0, 117)
_ASK, _PATCH, _SHELL = "request_user_input", "apply_patch", "Bash"
_TOOLS = {_SHELL: "exec_command"}
_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_NOTE = "at its next start Codex asks once whether you trust the new hooks: trust them."
_APPROVED = ("exec_command", "apply_patch", "write_stdin", "request_permissions")
_BY_TITLE = ("request_permissions", "write_stdin")


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """Hooks that tell; timeouts are seconds. Older versions know few, and want them switched on."""
    folder = endpoint.env.get("CODEX_HOME") or ".codex"
    old = _old(endpoint.version)
    events = _OLD_EVENTS if old else EVENTS
    hooks = {event: [_entry(endpoint, event)] for event in events}
    switched = (HookConfig(f"{folder}/config.toml", _FEATURE),) if old else ()
    return HookConfig(f"{folder}/hooks.json", {"hooks": hooks}, switched, "" if old else _NOTE)


def _old(version: str | None) -> bool:
    found = _NUMBER.match(version or "")
    return found is not None and (int(found[1]), int(found[2])) < _FIRST


def _entry(endpoint: HookEndpoint, event: str) -> dict[str, Any]:
    command = endpoint.command("codex", event)
    return {"hooks": [{"type": "command", "command": command, "timeout": _SECONDS}]}


@hookimpl
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Whose hook it is, what the session does from now on, and the call that it tells of."""
    if event not in EVENTS:
        return None
    call = _call(payload)
    return HookReport(
        cli_session_id=_text(payload, "session_id"),
        transcript=_text(payload, "transcript_path"),
        cwd=_text(payload, "cwd"),
        conversation_start=(_text(payload, "source") or "startup")
        if event == "SessionStart"
        else None,
        form=call if event in ("PreToolUse", "PermissionRequest") else None,
        tool_finished=call if event == "PostToolUse" else None,
        state=_STATES.get(event),
        model=_text(payload, "model"),
    )


@hookimpl
def merge_prompt(seen: PromptForm, known: PromptForm) -> PromptForm | None:
    """One prompt of both: what the screen offers, with the whole call that is known."""
    if seen.tool_call_id and known.tool_call_id and seen.tool_call_id != known.tool_call_id:
        return None
    if _of_another(seen, known):
        return None
    if seen.kind is not known.kind or not _same(seen, known):
        return None
    longer = seen.truncated and bool(known.description)
    return replace(
        seen,
        tool_name=seen.tool_name or known.tool_name,
        tool_input=seen.tool_input if _equal(seen, known) else known.tool_input,
        tool_call_id=seen.tool_call_id or known.tool_call_id,
        subject=seen.subject or f"{seen.title}\n{seen.description}",
        description=known.description if longer else seen.description,
        truncated=seen.truncated and not longer,
        origin=seen.origin or known.origin,
        questions=known.questions if len(known.questions) > 1 else seen.questions,
        position=None if len(known.questions) > 1 else seen.position,
    )


def _of_another(seen: PromptForm, known: PromptForm) -> bool:
    """Whether another agent called: approvals name the sub-agent that asks, if it is one."""
    approval = seen.tool_name in _APPROVED and known.tool_call_id is not None
    return approval and (seen.origin is None) != (known.origin is None)


def _equal(seen: PromptForm, known: PromptForm) -> bool:
    """Whether the later telling says as much: a hook's own words stay beside the command."""
    if seen.tool_input is None or known.tool_input is None:
        return known.tool_input is None
    return all(seen.tool_input.get(name) == value for name, value in known.tool_input.items())


def _call(payload: Mapping[str, Any]) -> PromptForm | None:
    tool, given = payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(tool, str) or not isinstance(given, Mapping):
        return None
    call, name = _text(payload, "tool_use_id"), _TOOLS.get(tool, tool)
    if tool == _ASK:
        asked = _asked(given)
        title = asked[0].question if asked else tool
        return PromptForm(
            Kind.QUESTION,
            title,
            subject="\n".join(question.question for question in asked),
            tool_name=name,
            tool_input=given,
            tool_call_id=call,
            questions=asked,
        )
    told = given.get("command")
    text = told if isinstance(told, str) else "\n".join(f"{k}: {v}" for k, v in given.items())
    return PromptForm(
        Kind.PERMISSION, name, text.rstrip(), tool_name=name, tool_input=given, tool_call_id=call
    )


def _asked(given: Mapping[str, Any]) -> tuple[Question, ...]:
    try:
        return tuple(_question(each) for each in given.get("questions", ()))
    except (KeyError, TypeError, AttributeError):
        return ()


def _question(told: Mapping[str, Any]) -> Question:
    """A question as its page will offer it: with a way out, and notes beside every option."""
    options = [(str(each["label"]), each.get("description")) for each in told.get("options") or ()]
    if options:
        options.append((NONE_OF_THEM, None))
    return Question(
        str(told["question"]),
        str(told.get("header") or ""),
        tuple(QuestionOption(*option) for option in options),
        other=bool(options),
        notes=bool(options),
    )


def _same(seen: PromptForm, known: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        shown = squeeze(seen.questions[0].question) if seen.questions else ""
        return bool(shown) and any(squeeze(each.question) == shown for each in known.questions)
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
    """What is run, as it was told: a daemon puts the reason before the command."""
    command = (known.tool_input or {}).get("command")
    return (command, known.description) if isinstance(command, str) else (known.description,)


def _files(seen: PromptForm, known: PromptForm) -> bool:
    """Whether the screen names a file of this patch; where it names none, it may be this one."""
    if seen.description == known.description:
        return True
    changes = (known.tool_input or {}).get("changes")
    told = [str(each.get("path", "")) for each in changes] if isinstance(changes, list) else []
    names = [path.rpartition("/")[2] for path in (*told, *_FILE.findall(known.description))]
    shown = f"{seen.description}\n{seen.subject}"
    return not names or any(name in shown for name in names)


def _pieces(seen: PromptForm) -> list[str]:
    return [squeeze(line) for line in seen.description.split("\n") if len(line.strip()) > 3]


def _text(payload: Mapping[str, Any], name: str) -> str | None:
    found = payload.get(name)
    return found if isinstance(found, str) and found else None
