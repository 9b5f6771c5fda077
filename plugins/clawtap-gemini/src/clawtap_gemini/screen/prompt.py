"""Find the prompt on a screen: by its structure first, by its words last."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, parsed_once, without_side_boxes
from clawtap_gemini.screen.block import Block, find_block
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.dialogs import read_dialog
from clawtap_gemini.screen.permissions import read_permission
from clawtap_gemini.screen.questions import lacks_question, read_question
from clawtap_gemini.screen.screen_reader import find_plain_block
from clawtap_gemini.screen.session_browser import read_browser


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt in place of the composer; None while it is painted only in part."""
    parsed = parse_prompt(screen)
    return parsed.form if parsed else None


@parsed_once
def parse_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with the places of its rows on this screen."""
    if browser := read_browser(screen):
        return browser
    block = find_block(screen)
    if block is None:
        plain = None if find_composer(screen) else find_plain_block(screen)
        return read_permission(plain) if plain and _list_is_complete(plain) else None
    if block.begins_above:
        return read_permission(block)
    if (block.options and not _list_is_complete(block)) or lacks_question(block):
        return None
    return (
        read_question(block)
        or read_permission(block)
        or read_dialog(replace(block, rows=without_side_boxes(block.rows)))
    )


def _list_is_complete(block: Block) -> bool:
    # A complete list begins at 1 or scrolls, and has exactly one cursor.
    selected = sum(row.selected for row in block.options)
    if block.next_row and block.next_row.selected:
        selected += 1
    begins = block.options[0].number == 1 or block.scrolling
    return selected == 1 and begins
