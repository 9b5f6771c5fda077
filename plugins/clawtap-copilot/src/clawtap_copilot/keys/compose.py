"""Type messages into the composer."""

from __future__ import annotations

from typing import Any

from clawtap_copilot.info import COMMANDS
from clawtap_copilot.screen.composer import find_composer
from clawtap_copilot.screen.state import detect_state
from clawtap_copilot.words import WORDS
from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, draft_of, folded_by

_SHELL = WORDS.pattern("compose.shell")
_UNREADABLE = WORDS.pattern("compose.unreadable")
_COMMAND = WORDS.pattern("compose.command")
_TAKES_WORDS = WORDS.pattern("compose.takes_words")


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of a message; None for one that the CLI would run, or does not show.

    It would run a shell command, or a command that ClawTap does not offer. What is short enough to
    be typed is not folded, and then read back letter by letter.
    """
    if _UNREADABLE.search(text) and len(text) <= COMPOSER_PROFILE.typed:
        return None
    if _SHELL.match(text) or (progress is None and _would_run(text, screen)):
        return None
    return keystrokes.compose(text, screen, progress, COMPOSER_PROFILE)


def _would_run(text: str, screen: Screen) -> bool:
    """Return True if the leading blank would not make words of this command."""
    composer = find_composer(screen)
    if composer is None or not _COMMAND.match(text) or not COMPOSER_PROFILE.leads(text):
        return False
    return _TAKES_WORDS.search(composer.footer) is None


COMPOSER_PROFILE = ComposerProfile(
    read=lambda screen: draft_of(detect_state(screen, None)),
    after_text=WORDS.seconds("keys.after_text"),
    # As a key it opens the list of shortcuts.
    pasted=("?",),
    completed=("@", "#"),
    continued=("\\",),
    exits=WORDS.pattern("compose.exits"),
    # The CLI folds a long paste, and sends all of it.
    folded=folded_by(WORDS.pattern("compose.folded")),
    commands=frozenset(command.id for command in COMMANDS),
)
