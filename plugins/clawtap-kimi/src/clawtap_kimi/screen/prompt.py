"""Find the prompt on a screen."""

from __future__ import annotations

from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once
from clawtap_kimi.screen.dialogs import read_trust
from clawtap_kimi.screen.panel import find_panel
from clawtap_kimi.screen.permissions import read_permission
from clawtap_kimi.screen.questions import read_question


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt in place of the composer; None while it is painted only in part."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with the places of its rows on this screen."""
    panel = find_panel(screen)
    if panel is None:
        return None
    return read_permission(panel) or read_question(panel) or read_trust(panel)
