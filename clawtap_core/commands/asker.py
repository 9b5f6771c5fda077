"""Labels for whoever asks or speaks in a session: a subagent, or another program."""

from __future__ import annotations

import re

from clawtap_core.model import Prompt

# An id tells a person nothing: a UUID, or a long number.
_ID = re.compile(r"[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
_SUBAGENT = "subagent"


def asker(prompt: Prompt) -> str:
    """Return who asks, such as "Subagent: general-purpose", or "" for the main agent."""
    origin = prompt.form.origin
    if origin and prompt.channel == "external":
        return f"from {origin}"
    return subagent_label(origin)


def subagent_label(origin: str | None) -> str:
    """Return a subagent's name or task as a label, or "" for the main agent."""
    if not origin:
        return ""
    named = origin.lower() != _SUBAGENT and not _ID.fullmatch(origin)
    return f"Subagent: {origin}" if named else "Subagent"
