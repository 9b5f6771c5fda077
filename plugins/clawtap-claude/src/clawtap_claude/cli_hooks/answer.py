"""Reply to the hook that asks for permission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_claude.decision import decide
from clawtap_core import PromptForm, Response, hookimpl

# Without a reason for the model, a denial ends the turn, as it does in the terminal.
_REFUSAL = {
    "message": "The user doesn't want to proceed with this tool use. Stop, and wait for the user.",
    "interrupt": True,
}


@hookimpl
def answer_hook(prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
    """Return the decision, or None for an answer that only keys can give."""
    decision = decide(prompt, response, _REFUSAL)
    if decision is None:
        return None
    if response.reason and prompt.takes_reason and decision["behavior"] == "allow":
        # A hook says no word to the model with its yes; the field in the terminal does.
        return None
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
