"""Typing a message: how this CLI's composer takes it."""

from __future__ import annotations

import re
from typing import Any

from clawtap_core import Screen, SessionState, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.prompt import read
from clawtap_gemini.screen.state import detect_state

_AWHILE = 3
"""So many looks; each waits for up to a second for the screen to change."""
_FOLDED = re.compile(r"\[Pasted Text: (?P<count>\d+) (?P<unit>lines|chars)(?: #\d+)?\]")


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """The next steps of a message."""
    return keystrokes.compose(text, screen, progress, WAYS)


def _read(screen: Screen) -> Draft | None:
    composer = None if read(screen) else find_composer(screen)
    if composer is None:
        return None
    seen = detect_state(screen, None)
    idle = bool(seen and seen.state is SessionState.IDLE)
    return Draft(composer.draft, idle, broken=bool(composer.broken))


def _folded(draft: str, text: str) -> bool:
    """Whether the draft stands for this text: the CLI folds a long paste, and sends it whole."""
    found = _FOLDED.fullmatch(draft)
    if found is None:
        return False
    whole = {"lines": text.count("\n") + 1, "chars": len(text)}
    return int(found["count"]) == whole[found["unit"]]


WAYS = ComposerProfile(
    read=_read,
    # The CLI takes a hundred typed characters a second.
    typed=400,
    # On an empty composer these keys do something else: shell mode, the list of shortcuts. What is
    # typed fast is still empty to the CLI: it takes them anywhere in a text.
    pasted=("!", "?"),
    folded=_folded,
    # Enter comes right after the screen was read: a prompt that opens now would take it. It may be
    # taken for a newline, which leaves an empty row after the text; 0.61 loses it at its start.
    lost_after=_AWHILE,
)
