"""The names of subagents, the same in transcripts and in the server's requests."""

from __future__ import annotations

import re

_TYPE = re.compile(r"\(@[^()]* subagent\)\Z")


def subagent_name(title: str | None, agent: str | None) -> str:
    """Return a subagent's name: its task, which titles its session, or else its type."""
    return _TYPE.sub("", title or "").strip() or agent or "subagent"
