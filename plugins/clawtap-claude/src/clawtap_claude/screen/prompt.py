"""Which prompt a screen shows, if any: by where things stand, by words last."""

from __future__ import annotations

from clawtap_claude.screen.block import find_block
from clawtap_claude.screen.dialogs import read_dialog
from clawtap_claude.screen.forms import read_form
from clawtap_claude.screen.onboarding import read_welcome
from clawtap_claude.screen.permissions import read_confirmation
from clawtap_claude.screen.plans import read_plan
from clawtap_claude.screen.questions import read_question
from clawtap_core import PromptForm, Screen, hookimpl
from clawtap_core.screens import ParsedPrompt


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """The prompt in place of the composer; None while the composer is there, or half painted."""
    found = read(screen)
    return found.form if found else None


def read(screen: Screen) -> ParsedPrompt | None:
    """The prompt with the places of its rows on this screen."""
    block = find_block(screen)
    if block is None:
        return None
    for reader in (read_welcome, read_question, read_plan, read_confirmation, read_form):
        if found := reader(block):
            return found
    return read_dialog(block)
