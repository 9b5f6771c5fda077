"""Type a message into the composer."""

from __future__ import annotations

import re
from typing import Any

from clawtap_claude.screen.composer import INSERT, find_composer
from clawtap_claude.screen.prompt import parse_prompt
from clawtap_claude.screen.state import detect_state
from clawtap_claude.words import WORDS
from clawtap_core import Screen, SessionState, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft, image_by

_FOLDED = re.compile(r"\[Pasted text #\d+(?: \+\d+ lines)?\]")
_is_image = image_by(re.compile(r"\[Image #\d+\]"))
_SHORT = 400
_UNQUOTED = 2, 700
# The fullscreen renderer separates pastes that arrive together, and shows 15 rows of a draft.
_TOGETHER = 10, 1000
_AROUND = 10
_INDENT = 2


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of a message."""
    return keystrokes.compose(text, screen, progress, COMPOSER)


def _read(screen: Screen) -> Draft | None:
    composer = None if parse_prompt(screen) else find_composer(screen)
    if composer is None:
        return None
    seen = detect_state(screen, None)
    idle = bool(seen and seen.state is SessionState.IDLE)
    # The footer names vi's insert mode, but not its command mode.
    commands = False if bool(INSERT.search(composer.footer)) else None
    # Only the fullscreen renderer scrolls a draft that is taller than the pane.
    room = screen.rows - _AROUND if screen.alternate is False else None
    cursor = screen.cursor
    at_start = None
    if cursor:
        at_start = cursor[0] == _INDENT and composer.top < cursor[1] < composer.bottom
    columns = screen.cols - 2 * _INDENT
    returned = bool(seen and seen.refusal)
    hidden = composer.hidden
    return Draft(composer.draft, idle, at_start, commands, hidden, room, columns, returned)


def _folded(draft: str, text: str) -> bool:
    # Any text that arrives in one large piece is a paste to the CLI.
    long = not text.isprintable() or len(text) > _SHORT
    return (long and _FOLDED.fullmatch(draft) is not None) or _is_image(draft, text)


COMPOSER = ComposerProfile(
    read=_read,
    after_text=WORDS.seconds("composer.after_text"),
    before_piece=WORDS.seconds("composer.before_piece"),
    before_enter=WORDS.seconds("composer.before_enter"),
    # In vi's command mode, which the screen does not show, keys are commands; a paste never is.
    typed=0,
    # A paste of more is folded to a placeholder, and quoted to the model by newer versions.
    unquoted=_UNQUOTED,
    together=_TOGETHER,
    # On an empty composer this character opens the shell mode.
    led=("!",),
    continued=("\\",),
    exits=WORDS.pattern("compose.exits"),
    repaint="C-l",
    folded=_folded,
    probes=("Home", "End"),
    asks=lambda screen: parse_prompt(screen) is not None,
)
