"""Type messages into the composer."""

from __future__ import annotations

from typing import Any

from clawtap_core import Screen, SessionState, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.prompt import parse_prompt
from clawtap_gemini.screen.state import detect_state
from clawtap_gemini.words import WORDS

_REMOVED = WORDS.pattern("compose.removed")
_FOLDED = WORDS.pattern("compose.folded")


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of a message; None when the CLI would not send it as it is."""
    if _REMOVED.search(text):
        return None
    return keystrokes.compose(text, screen, progress, COMPOSER_PROFILE)


def _read_draft(screen: Screen) -> Draft | None:
    composer = None if parse_prompt(screen) else find_composer(screen)
    if composer is None:
        return None
    seen = detect_state(screen, None)
    idle = bool(seen and seen.state is SessionState.IDLE)
    vi_commands = composer.vim == "NORMAL"
    return Draft(composer.draft, idle, at_start=composer.at_start, commands=vi_commands)


def _folded(draft: str, text: str) -> bool:
    # The CLI folds a long paste, and sends all of it.
    match = _FOLDED.fullmatch(draft)
    if match is None:
        return False
    sizes = {"lines": text.count("\n") + 1, "chars": len(text)}
    return int(match["count"]) == sizes[match["unit"]]


COMPOSER_PROFILE = ComposerProfile(
    read=_read_draft,
    # The CLI takes a hundred typed characters a second.
    typed=400,
    # In an empty composer these keys open shell mode and the list of shortcuts. While keys come
    # fast, the CLI takes the composer for empty: they do so anywhere in a text.
    pasted=("!", "?"),
    # To the CLI an Enter behind a backslash is a new line.
    continued=("\\",),
    folded=_folded,
    # An Enter that follows the text too fast becomes a newline, and 0.61 loses it while it starts.
    probes=("Home", "End"),
    asks=lambda screen: parse_prompt(screen) is not None,
    shows_tabs=True,
)
