"""Type messages into the composer."""

from __future__ import annotations

import unicodedata
from typing import Any

from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, draft_of, folded_by
from clawtap_opencode.info import COMMANDS
from clawtap_opencode.screen.state import detect_state
from clawtap_opencode.words import WORDS

_EMOJI_SIGN = "\ufe0f"


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of typing and sending a message; None for one with loose accents.

    The composer moves an accent that is no part of its letter to another place, and keeps it when
    the text is removed, so that it would go with the next message.
    """
    composed = unicodedata.normalize("NFC", text)
    if progress is None and any(map(_is_loose, composed)):
        return None
    return keystrokes.compose(composed, screen, progress, COMPOSER_PROFILE)


def _is_loose(char: str) -> bool:
    """Return True for accents, vowel signs and keycaps; the sign that makes an emoji works."""
    return unicodedata.category(char) in ("Mn", "Me") and char != _EMOJI_SIGN


COMPOSER_PROFILE = ComposerProfile(
    read=lambda screen: draft_of(detect_state(screen, None)),
    after_text=WORDS.seconds("keys.after_text"),
    # As a key it opens a shell.
    pasted=("!",),
    continued=("\\",),
    exits=WORDS.pattern("compose.exits"),
    # The CLI folds a long paste, and sends all of it.
    folded=folded_by(WORDS.pattern("compose.folded")),
    commands=frozenset(command.id for command in COMMANDS),
)
