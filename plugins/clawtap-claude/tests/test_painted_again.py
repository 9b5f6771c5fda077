"""A prompt that is painted again below its old frame."""

from __future__ import annotations

from pathlib import Path

import clawtap_claude

from clawtap_core.prompts.screen_tracker import PromptSighting
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")


def sighting(name: str) -> PromptSighting:
    screen = Recording.load(RECORDINGS / f"{name}.ansi").screen
    form = clawtap_claude.detect_prompt(screen)
    assert form
    return PromptSighting(form, screen)


def test_a_prompt_whose_old_list_still_stands_above_was_not_answered() -> None:
    """Ctrl+Z leaves the old frame on the screen, with the call and its list."""
    before, after = (sighting(f"2.1.85/bash-{when}-ctrl-z-120x40") for when in ("before", "after"))
    assert before.same(after.form, after.screen)
    assert not before.answered(after.form, after.screen)
