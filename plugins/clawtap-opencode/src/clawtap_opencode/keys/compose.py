"""Type messages into the composer."""

from __future__ import annotations

from typing import Any

from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, draft_of, folded_by
from clawtap_opencode.info import COMMANDS
from clawtap_opencode.screen.state import detect_state
from clawtap_opencode.words import WORDS


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of typing and sending a message."""
    return keystrokes.compose(text, screen, progress, COMPOSER_PROFILE)


COMPOSER_PROFILE = ComposerProfile(
    read=lambda screen: draft_of(detect_state(screen, None)),
    after_text=WORDS.seconds("keys.after_text"),
    # As a key it opens a shell.
    pasted=("!",),
    continued=("\\",),
    # The CLI folds a long paste, and sends all of it.
    folded=folded_by(WORDS.pattern("compose.folded")),
    commands=frozenset(command.id for command in COMMANDS),
)
