"""Type messages into the composer."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any

from clawtap_core import Screen, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, draft_of, folded_by
from clawtap_opencode.screen.composer import find_composer
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
    name = composed.strip()
    if name in _CHOSEN:
        profile = _FROM_LIST
    else:
        # Behind a blank no list is open: a command of the user's is run, anything else is text.
        profile = _ONE_WORD if len(name.split()) == 1 else COMPOSER_PROFILE
    return keystrokes.compose(composed, screen, progress, profile)


def _is_loose(char: str) -> bool:
    """Return True for accents, vowel signs and keycaps; the sign that makes an emoji works."""
    return unicodedata.category(char) in ("Mn", "Me") and char != _EMOJI_SIGN


def _is_first_in_list(screen: Screen, text: str) -> bool:
    """Return True if Enter would run this command; another that is like it may be the first."""
    composer = find_composer(screen)
    rows = composer.menu if composer else ()
    return bool(rows) and rows[0].split(maxsplit=1)[:1] == [_CHOSEN[text]]


# The row of the list, by each name of a command that is chosen there.
_CHOSEN = {names.split()[0]: names.split()[-1] for names in WORDS.texts("compose.chosen")}
COMPOSER_PROFILE = ComposerProfile(
    read=lambda screen: draft_of(detect_state(screen, None)),
    after_text=WORDS.seconds("keys.after_text"),
    # As a key it opens a shell.
    pasted=("!",),
    continued=("\\",),
    exits=WORDS.pattern("compose.exits"),
    # The CLI folds a long paste, and sends all of it.
    folded=folded_by(WORDS.pattern("compose.folded")),
)
_ONE_WORD = replace(COMPOSER_PROFILE, completed=("@", "/"))
_FROM_LIST = replace(COMPOSER_PROFILE, enter_sends=_is_first_in_list)
