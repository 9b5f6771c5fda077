"""Find the prompt on a screen."""

from __future__ import annotations

from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once
from clawtap_qwen.screen.block import Block, find_block
from clawtap_qwen.screen.dialogs import read_dialog
from clawtap_qwen.screen.permissions import read_permission
from clawtap_qwen.screen.questions import read_question


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt in place of the composer; None while it is painted only in part."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with the places of its rows on this screen."""
    block = find_block(screen)
    if block is None:
        return read_dialog(screen)
    if not _list_is_complete(block):
        return None
    return read_question(block) or read_permission(block)


def _list_is_complete(block: Block) -> bool:
    rows = block.options
    return bool(rows) and rows[0].number == 1 and sum(row.selected for row in rows) == 1
