"""Read a list that scrolls, or begins above a low pane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawtap_core import Kind, PromptForm, Screen, Steps, hookimpl
from clawtap_core.keystrokes import press, read_whole_list, send_one_key
from clawtap_core.screens import ParsedPrompt
from clawtap_gemini.keys.profile import TRIES
from clawtap_gemini.screen.prompt import parse_prompt


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Unfold the text that pushes a permission's list up, or move once around another list."""
    parsed = parse_prompt(screen)
    if parsed is None:
        return None
    if prompt.kind is Kind.PERMISSION:
        return send_one_key(parsed, progress, lambda pressed: _unfold(parsed, pressed))
    return read_whole_list(prompt, parsed, progress, again=TRIES)


def _unfold(parsed: ParsedPrompt, pressed: Any) -> Steps | None:
    # Unfolded, the text loses its note, which may make room for the whole list.
    if not parsed.form.more_options:
        return Steps(done=True, form=parsed.form)
    return None if pressed else press("C-o", progress=True)
