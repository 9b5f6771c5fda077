"""The prompt that the CLI shows in place of its composer."""

from __future__ import annotations

from clawtap_copilot.screen.block import find_block
from clawtap_copilot.screen.form import read_form
from clawtap_copilot.screen.permissions import read_permission
from clawtap_copilot.screen.plans import read_plan
from clawtap_copilot.screen.questions import read_question
from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt at the end of the screen."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with its rows; None while it is painted only in part."""
    block = find_block(screen)
    if block is None:
        return read_form(screen)
    if block.options and sum(row.selected for row in block.options) != 1:
        return None
    return read_plan(block) or read_question(block) or read_permission(block)
