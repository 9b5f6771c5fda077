"""Type messages into the composer."""

from __future__ import annotations

from typing import Any

from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, draft_of, folded_by
from clawtap_kimi.info import COMMANDS
from clawtap_kimi.screen.state import detect_state
from clawtap_kimi.words import WORDS


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of typing and sending a message."""
    return keystrokes.compose(text, screen, progress, COMPOSER_PROFILE)


COMPOSER_PROFILE = ComposerProfile(
    read=lambda screen: draft_of(detect_state(screen, None)),
    # To the CLI an Enter that it reads soon after typed text is a line break; a paste has an end.
    typed=0,
    # In an empty composer this opens the shell mode, typed or pasted.
    led=("!",),
    # Lists of files and skills open in the middle of a message, too.
    completed=("@", "/"),
    # To the CLI an Enter behind a backslash is a new line.
    continued=("\\",),
    # The CLI folds a long paste, and sends all of it.
    folded=folded_by(WORDS.pattern("compose.folded_lines"), WORDS.pattern("compose.folded_units")),
    commands=frozenset(command.id for command in COMMANDS),
)
