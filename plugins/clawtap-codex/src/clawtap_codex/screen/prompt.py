"""The prompt that a screen shows."""

from __future__ import annotations

from clawtap_codex.screen.block import PromptBlock, find_block
from clawtap_codex.screen.dialogs import read_dialog
from clawtap_codex.screen.permissions import read_permission
from clawtap_codex.screen.questions import read_question
from clawtap_codex.screen.split import columns
from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt at the bottom, or None if there is none or it is half painted."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Parse the prompt together with the positions of its rows."""
    block = _block_in_a_column(screen)
    if block is None:
        return None
    for reader in (read_permission, read_question, read_dialog):
        if parsed := reader(block):
            return parsed
    return None


def _block_in_a_column(screen: Screen) -> PromptBlock | None:
    sides = columns(screen)
    blocks = [block for side in sides or (screen,) if (block := find_block(side))]
    return blocks[0] if len(blocks) == 1 else None
