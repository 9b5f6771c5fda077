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
    """Move down, which wraps at the end, until the cursor is back."""
    parsed = parse_prompt(screen)
    if parsed is None:
        return None
    if prompt.kind is Kind.PERMISSION:
        return send_one_key(parsed, progress, lambda pressed: _unfold(parsed, pressed))
    return read_whole_list(prompt, parsed, progress, again=TRIES)


def _unfold(parsed: ParsedPrompt, pressed: Any) -> Steps | None:
    # Without the note that the text is folded, the whole list may be in sight.
    if not parsed.form.more_options:
        return Steps(done=True, form=parsed.form)
    return None if pressed else press("C-o", progress=True)
