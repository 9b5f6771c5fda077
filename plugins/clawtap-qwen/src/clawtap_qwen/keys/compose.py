"""Type messages into the composer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, draft_of, folded_by
from clawtap_qwen.info import COMMANDS
from clawtap_qwen.screen.state import detect_state
from clawtap_qwen.words import WORDS


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of a message; None when the CLI would not send it as it is."""
    if text.strip() == "/":
        # Enter would take the first command of the list that this opens.
        return None
    alone = len(text.split()) == 1
    return keystrokes.compose(text, screen, progress, _ONE_WORD if alone else COMPOSER_PROFILE)


COMPOSER_PROFILE = ComposerProfile(
    read=lambda screen: draft_of(detect_state(screen, None)),
    # In an empty composer these keys open the shell mode and the list of shortcuts.
    pasted=("!", "?"),
    # To the CLI an Enter behind a backslash is a new line.
    continued=("\\",),
    # 0.24 lists its commands at a slash in any word, and its Enter takes one of them.
    completed=("@", "/"),
    exits=WORDS.pattern("compose.exits"),
    # The CLI folds a long paste, and sends all of it.
    folded=folded_by(WORDS.pattern("compose.folded")),
    commands=frozenset(command.id for command in COMMANDS),
)
# A command that stands alone is meant to be taken: a blank behind it would list its arguments.
_ONE_WORD = replace(COMPOSER_PROFILE, completed=("@",))
