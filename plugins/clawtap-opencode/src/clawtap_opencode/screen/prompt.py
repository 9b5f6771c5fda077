"""The prompt that the CLI shows in place of its composer."""

from __future__ import annotations

from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once
from clawtap_opencode.screen.block import lowest_panel
from clawtap_opencode.screen.permissions import read_permission
from clawtap_opencode.screen.questions import read_question


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt at the end of the screen."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with its rows, or None if the composer or anything else is below it."""
    panel = lowest_panel(screen)
    if panel is None or any(panel.below):
        return None
    return read_permission(panel) or read_question(panel)
