"""Typing a message into the composer.

A paste of more than a thousand characters is shown as a placeholder only, so long texts are sent
in pieces that can be read back.
"""

from __future__ import annotations

from typing import Any

from clawtap_codex.screen.composer import find_composer
from clawtap_codex.screen.prompt import parse_prompt
from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of typing and sending a message."""
    return keystrokes.compose(text, screen, progress, COMPOSER_PROFILE)


def _read_draft(screen: Screen) -> Draft | None:
    composer = None if parse_prompt(screen) else find_composer(screen)
    return Draft(composer.draft) if composer else None


COMPOSER_PROFILE = ComposerProfile(
    read=_read_draft,
    after_text=0.25,
    before_enter=0.25,
    typed=0,
    piece=900,
    # A file, skill or app name at the end opens a list that takes the Enter; a blank closes it.
    completed=("@", "$"),
    # 0.169 loses what is typed while it starts, so an empty composer gets the text a second time.
    tries=2,
)
