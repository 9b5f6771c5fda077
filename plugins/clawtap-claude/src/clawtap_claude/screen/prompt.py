"""Detect the prompt on a screen, by layout first and by words last."""

from __future__ import annotations

from clawtap_claude.screen.block import find_block
from clawtap_claude.screen.dialogs import read_dialog
from clawtap_claude.screen.forms import read_form
from clawtap_claude.screen.onboarding import read_onboarding
from clawtap_claude.screen.pages import read_page
from clawtap_claude.screen.permissions import read_permission
from clawtap_claude.screen.plans import read_plan
from clawtap_claude.screen.questions import read_question
from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt, or None while the composer is shown or the prompt is half painted."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with the places of its rows on this screen."""
    block = find_block(screen)
    if block is None:
        return None
    readers = (read_onboarding, read_question, read_plan, read_permission, read_form, read_page)
    for reader in readers:
        if parsed := reader(block):
            return parsed
    return read_dialog(block)
