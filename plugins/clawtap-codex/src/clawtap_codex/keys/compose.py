"""Typing a message: how this CLI's composer takes it.

A fast Enter is taken for a newline. A paste of more than a thousand characters is shown as a
mark only: long texts go in pieces that can be read back.
"""

from __future__ import annotations

from typing import Any

from clawtap_codex.screen.composer import find_composer
from clawtap_codex.screen.prompt import parse_prompt
from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """The next steps of a message."""
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
    # A file, a skill or an app at the end opens a list that takes the Enter; a blank closes it.
    completed=("@", "$"),
    # At its start 0.169 loses what is typed: a composer that stays empty gets the text once more.
    tries=2,
)
