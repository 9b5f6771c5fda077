"""Type messages into the composer."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from clawtap_core import Screen, SessionState, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft, holds
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.prompt import parse_prompt
from clawtap_gemini.screen.state import detect_state
from clawtap_gemini.words import WORDS

_REMOVED = WORDS.pattern("compose.removed")
_FOLDED = WORDS.pattern("compose.folded")
_IMAGE = re.compile(
    r"@((?:\\.|[^\s\\])+?\.(?:png|jpg|jpeg|gif|webp|svg|bmp))\b", re.ASCII | re.IGNORECASE
)
_ESCAPED = re.compile(r"\\(.)")
# So much of the end of an image's name is shown.
_NAME = 10


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
    """Return True if a draft stands for the text: the CLI sends all of it."""
    match = _FOLDED.fullmatch(draft)
    if match is None:
        return _holds_images(draft, text)
    sizes = {"lines": text.count("\n") + 1, "chars": len(text)}
    return int(match["count"]) == sizes[match["unit"]]


def _holds_images(draft: str, text: str) -> bool:
    """Return True if the draft is the text with the names of its images in place of their paths.

    The path at the cursor stays.
    """
    at = [image.start() for image in _IMAGE.finditer(text)]
    return bool(at) and any(holds(draft, _with_names(text, path)) for path in (-1, *at))


def _with_names(text: str, path: int) -> str:
    """Return the text as it is drawn while the cursor is at this path."""
    return _IMAGE.sub(lambda image: image[0] if image.start() == path else _name(image[1]), text)


def _name(path: str) -> str:
    name, kind = posixpath.splitext(posixpath.basename(_ESCAPED.sub(r"\1", path)))
    return f"[Image {name if len(name) <= _NAME else f'...{name[-_NAME:]}'}{kind}]"


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
