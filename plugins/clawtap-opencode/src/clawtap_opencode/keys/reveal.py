"""Open the text of a permission that does not fit, and close it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawtap_core import Press, PromptForm, Screen, Steps, hookimpl
from clawtap_opencode.screen.permissions import PermissionPrompt
from clawtap_opencode.screen.prompt import parse_prompt

_KEY = "C-f"
_OPENING, _CLOSING = "opening", "closing"
_PATIENCE = 20


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Press the key that gives the panel the whole pane, and once more."""
    parsed = parse_prompt(screen)
    if not isinstance(parsed, PermissionPrompt):
        return Steps(progress=progress)
    if progress is None:
        if parsed.opened:
            return Steps(done=True, form=parsed.form)
        return Steps((Press(_KEY),), progress=(_OPENING, 0))
    doing, waited = progress
    if parsed.opened is (doing == _CLOSING):
        return Steps(progress=(doing, waited + 1)) if waited < _PATIENCE else None
    if doing == _OPENING:
        return Steps((Press(_KEY),), progress=(_CLOSING, 0))
    whole = max(seen, key=lambda form: len(form.description))
    return Steps(done=True, form=whole)
