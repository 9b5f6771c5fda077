"""Which prompt a screen shows, if any: by where things stand, by words last."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt, without_side_boxes
from clawtap_gemini.screen.block import Block, find_block
from clawtap_gemini.screen.dialogs import read_other
from clawtap_gemini.screen.permissions import read_confirmation
from clawtap_gemini.screen.questions import read_dialog
from clawtap_gemini.screen.session_browser import read_browser


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """The prompt in place of the composer; None while the composer is there, or half painted."""
    found = read(screen)
    return found.form if found else None


@lru_cache(maxsize=32)
def read(screen: Screen) -> ParsedPrompt | None:
    """The prompt with the places of its rows on this screen.

    Remembered, since the core asks several hooks about the same screen.
    """
    block = find_block(screen)
    if block is None:
        return read_browser(screen)
    if block.options and not _whole(block):
        return None
    for reader in (read_dialog, read_confirmation):
        if found := reader(block):
            return found
    return read_other(replace(block, rows=without_side_boxes(block.rows)))


def _whole(block: Block) -> bool:
    """Whether the list is complete: it begins at 1 or scrolls, and has one cursor."""
    selected = sum(row.selected for row in block.options)
    if block.steer and block.steer.selected:
        selected += 1
    begins = block.options[0].number == 1 or block.scrolling
    return selected == 1 and begins
