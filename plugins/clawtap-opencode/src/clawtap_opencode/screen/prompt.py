"""The prompt that the CLI shows in place of its composer."""

from __future__ import annotations

from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once
from clawtap_opencode.screen.block import Panel, is_covered, lowest_panel
from clawtap_opencode.screen.permissions import read_permission
from clawtap_opencode.screen.questions import read_question
from clawtap_opencode.words import WORDS

_SIDE_BAR = WORDS.pattern("prompt.side_bar")


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt at the end of the screen."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with its rows, or None if keys would go elsewhere."""
    panel = lowest_panel(screen)
    return None if panel is None or is_covered(panel) else _read(panel)


def is_held_back(screen: Screen) -> bool:
    """Return True if a list or the side bar that was opened at the desk covers a prompt."""
    panel = lowest_panel(screen)
    if panel is None or any(panel.below):
        return False
    if is_covered(panel):
        return _read(panel) is not None
    # In a wide pane the side bar is drawn over the right part of the prompt.
    return _read(panel) is None and any(map(_SIDE_BAR.search, screen.lines[-2:]))


def _read(panel: Panel) -> ParsedPrompt | None:
    # The composer or anything else may be below it.
    return None if any(panel.below) else read_permission(panel) or read_question(panel)
