"""Type a message: how the composer takes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_copilot.info import COMMANDS
from clawtap_copilot.screen.composer import find_composer
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_copilot.screen.state import detect_state
from clawtap_copilot.words import WORDS
from clawtap_core import Screen, SessionState, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft

_SHELL = WORDS.pattern("compose.shell")
_FOLDED = WORDS.pattern("compose.folded")


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of a message; None for one that the CLI would run in a shell."""
    if _SHELL.match(text):
        return None
    words = text.split(maxsplit=1)
    command = bool(words) and words[0] in {command.id for command in COMMANDS}
    # Any other text after a slash would be completed to a command that it is not.
    profile = COMPOSER_PROFILE if command else replace(COMPOSER_PROFILE, led=("/",))
    return keystrokes.compose(text, screen, progress, profile)


def _read_draft(screen: Screen) -> Draft | None:
    composer = None if parse_prompt(screen) else find_composer(screen)
    if composer is None:
        return None
    seen = detect_state(screen, None)
    return Draft(composer.draft, bool(seen and seen.state is SessionState.IDLE))


def _folded(draft: str, text: str) -> bool:
    # The CLI folds a long paste, and sends all of it.
    match = _FOLDED.fullmatch(draft)
    return match is not None and int(match["lines"]) == text.count("\n") + 1


COMPOSER_PROFILE = ComposerProfile(
    read=_read_draft,
    after_text=WORDS.seconds("keys.after_text"),
    # As a key it opens the list of shortcuts.
    pasted=("?",),
    completed=("@", "#"),
    continued=("\\",),
    folded=_folded,
)
