"""Type a message into the composer."""

from __future__ import annotations

import re
from typing import Any

from clawtap_claude.screen.composer import INSERT, find_composer
from clawtap_claude.screen.prompt import parse_prompt
from clawtap_claude.screen.state import detect_state
from clawtap_core import Screen, SessionState, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft

_FOLDED = re.compile(r"\[Pasted text #\d+(?: \+\d+ lines)?\]")
_SHORT = 400
_QUOTES_FROM = 3, 400
_LOST_AFTER = 3


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
    return Draft(composer.draft, idle, commands=False if INSERT in composer.footer else None)


def _folded(draft: str, text: str) -> bool:
    """Return True if the draft is the placeholder of a long text."""
    # The CLI treats any text that arrives in one large piece as a paste.
    long = not text.isprintable() or len(text) > _SHORT
    return long and _FOLDED.fullmatch(draft) is not None


COMPOSER = ComposerProfile(
    read=_read,
    after_text=0.25,
    before_enter=0.25,
    # In vi's command mode, which the screen does not show, keys are commands; a paste never is.
    typed=0,
    quotes_from=_QUOTES_FROM,
    # On an empty composer this character opens the shell mode.
    led=("!",),
    continued=("\\",),
    repaint="C-l",
    folded=_folded,
    lost_after=_LOST_AFTER,
)
