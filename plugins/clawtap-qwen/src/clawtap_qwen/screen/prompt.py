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
    if _list_is_complete(block):
        return read_question(block) or read_permission(block)
    return read_question(block) if _list_is_cut(block) else None


def _list_is_complete(block: Block) -> bool:
    rows = block.options
    return bool(rows) and rows[0].number == 1 and sum(row.selected for row in rows) == 1


def _list_is_cut(block: Block) -> bool:
    """Return True for the end of a list in a low pane; its cursor may be out of sight."""
    rows = block.options
    begun = len(rows) > 1 and rows[0].number != 1 and block.head is None
    # The state of a box that is out of sight is not known.
    boxes = any(row.checked is not None for row in rows)
    return begun and not boxes and sum(row.selected for row in rows) < 2
