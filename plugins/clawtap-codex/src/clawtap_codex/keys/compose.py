"""Typing a message into the composer.

A paste of more than a thousand characters is shown as a placeholder only, so long texts are sent
in pieces that can be read back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_codex.screen.composer import find_composer
from clawtap_codex.screen.prompt import parse_prompt
from clawtap_codex.words import WORDS
from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft, image_by

_UNREADABLE = WORDS.pattern("compose.unreadable")
_COMMAND = WORDS.pattern("compose.command")


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of typing and sending a message."""
    if _UNREADABLE.search(text):
        return None
    if progress is None and text.lstrip().startswith("!"):
        # A blank before it keeps a `!` from opening a shell, but not in 0.116.
        composer = None if parse_prompt(screen) else find_composer(screen)
        if not screen.alternate and not (composer and composer.is_recent):
            return None
    literal = not is_command(text.strip())
    profile = replace(COMPOSER_PROFILE, led=("!", "/")) if literal else COMPOSER_PROFILE
    return keystrokes.compose(text, screen, progress, profile)


def is_command(text: str) -> bool:
    """Return True for a command of the CLI, not for just any word after a slash."""
    return _COMMAND.match(text) is not None


def _read_draft(screen: Screen) -> Draft | None:
    composer = None if parse_prompt(screen) else find_composer(screen)
    return Draft(composer.draft, commands=composer.vim == "Normal") if composer else None


COMPOSER_PROFILE = ComposerProfile(
    read=_read_draft,
    after_text=WORDS.seconds("composer.after_text"),
    before_enter=WORDS.seconds("composer.before_enter"),
    typed=0,
    piece=900,
    # A file, skill or app name at the end opens a list that takes the Enter; a blank closes it.
    completed=("@", "$"),
    # The CLI sends the image itself.
    folded=image_by(WORDS.pattern("compose.image")),
    # 0.169 loses what is typed while it starts, so an empty composer gets the text a second time.
    tries=2,
)
