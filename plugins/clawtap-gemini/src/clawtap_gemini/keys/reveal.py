"""Read a list that scrolls: move the cursor around it once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawtap_core import PromptForm, Screen, Steps, hookimpl
from clawtap_core.keystrokes import read_whole_list
from clawtap_gemini.keys.profile import TRIES
from clawtap_gemini.screen.prompt import parse_prompt


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Move down, which wraps at the end, until the cursor is back."""
    parsed = parse_prompt(screen)
    return read_whole_list(prompt, parsed, progress, again=TRIES) if parsed else None
