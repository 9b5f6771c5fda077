"""Scrolling through a list that shows only a part of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawtap_codex.screen.prompt import parse_prompt
from clawtap_core import PromptForm, Screen, Steps, hookimpl
from clawtap_core.keystrokes import read_whole_list


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Move once around the list, which wraps from its last row to its first."""
    parsed = parse_prompt(screen)
    return read_whole_list(prompt, parsed, progress) if parsed else Steps(progress=progress)
