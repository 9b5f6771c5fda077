"""Reading a list that scrolls: once around with the cursor, back to where it stood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawtap_core import PromptForm, Screen, Steps, hookimpl
from clawtap_core.keystrokes import read_whole_list
from clawtap_gemini.keys.profile import AGAIN
from clawtap_gemini.screen.prompt import read


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Move down, which wraps at the end, until the cursor is back."""
    now = read(screen)
    return read_whole_list(prompt, now, progress, again=AGAIN) if now else None
