"""Reply to the hook that asks for permission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_claude.screen.block import CHAT
from clawtap_claude.suggestions import permission
from clawtap_core import Answer, Effect, Kind, Option, PromptForm, Response, hookimpl

REFUSED = "The user doesn't want to proceed with this tool use. Stop, and wait for the user."
_ACCEPT_EDITS = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
_AUTO_ACCEPT = "Yes, auto-accept edits"


@hookimpl
def answer_hook(prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
    """Return the decision, or None for an answer that only keys can give."""
    decision = _decision(prompt, response)
    if decision is None:
        return None
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


def _decision(prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
    option = prompt.option(response.selected_option or "")
    if response.decision == "deny" or (option and option.effect is Effect.DENY):
        return _deny(response.reason)
    if prompt.tool_input is None:
        return None
    if prompt.kind is Kind.PLAN and response.text_value:
        return _deny(response.text_value)
    if prompt.kind is Kind.QUESTION and not option:
        return _answered(prompt, response)
    return _allowed(prompt, option) if option and not response.text_value else None


def _deny(reason: str | None) -> Mapping[str, Any]:
    """Deny with a reason for the model; without one end the turn, as the terminal does."""
    if reason:
        return {"behavior": "deny", "message": reason}
    return {"behavior": "deny", "message": REFUSED, "interrupt": True}


def _allowed(prompt: PromptForm, option: Option) -> Mapping[str, Any] | None:
    allow = {"behavior": "allow", "updatedInput": dict(prompt.tool_input or {})}
    if option.effect is Effect.ALLOW_ONCE:
        return allow
    if prompt.kind is Kind.PLAN and option.label == _AUTO_ACCEPT:
        return {**allow, "updatedPermissions": [_ACCEPT_EDITS]}
    lasting = permission(option)
    return {**allow, "updatedPermissions": [lasting]} if lasting else None


def _answered(prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
    """Return the answers keyed by question; several labels are joined, as in the CLI."""
    answered = (response.answers.get(str(at)) for at in range(len(prompt.questions)))
    answers = {
        question.question: _joined(answer)
        for question, answer in zip(prompt.questions, answered, strict=True)
        if answer
    }
    if len(answers) < len(prompt.questions) or CHAT in answers.values():
        return None
    return {"behavior": "allow", "updatedInput": {**(prompt.tool_input or {}), "answers": answers}}


def _joined(answer: Answer) -> str:
    return answer if isinstance(answer, str) else ", ".join(answer)
