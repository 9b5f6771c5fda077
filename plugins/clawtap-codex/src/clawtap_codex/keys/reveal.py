"""Reading a list whole that shows a part."""

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
    """Once around the list: it goes on at its beginning after its last row."""
    parsed = parse_prompt(screen)
    return read_whole_list(prompt, parsed, progress) if parsed else Steps(progress=progress)
