"""Type a message: how the composer takes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from clawtap_core import Pause, Press, Screen, SessionState, Steps, hookimpl, keystrokes
from clawtap_core.keystrokes import ComposerProfile, Draft
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.prompt import read_prompt
from clawtap_gemini.screen.state import detect_state

_LOOKS, _MOMENT = 15, 0.2
_FOLDED = re.compile(r"\[Pasted Text: (?P<count>\d+) (?P<unit>lines|chars)(?: #\d+)?\]")


@dataclass(frozen=True)
class _Inserting:
    """How often INSERT was looked for since it was asked for."""

    looks: int = 0


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of a message."""
    composer = find_composer(screen)
    if composer and composer.vim == "NORMAL" and not composer.draft:
        # To vi keys a message would be commands.
        if progress is None:
            return Steps((Press("i"), Pause(_MOMENT)), progress=_Inserting())
        if isinstance(progress, _Inserting):
            waits = _Inserting(progress.looks + 1)
            return Steps((Pause(_MOMENT),), progress=waits) if waits.looks < _LOOKS else None
    noted = None if isinstance(progress, _Inserting) else progress
    return keystrokes.compose(text, screen, noted, COMPOSER)


def _read(screen: Screen) -> Draft | None:
    composer = None if read_prompt(screen) else find_composer(screen)
    if composer is None:
        return None
    seen = detect_state(screen, None)
    idle = bool(seen and seen.state is SessionState.IDLE)
    vi_commands = composer.vim == "NORMAL"
    return Draft(composer.draft, idle, broken=bool(composer.broken), commands=vi_commands)


def _folded(draft: str, text: str) -> bool:
    """Return whether the draft stands for this text: the CLI folds a long paste, and sends all."""
    match = _FOLDED.fullmatch(draft)
    if match is None:
        return False
    sizes = {"lines": text.count("\n") + 1, "chars": len(text)}
    return int(match["count"]) == sizes[match["unit"]]


COMPOSER = ComposerProfile(
    read=_read,
    # The CLI takes a hundred typed characters a second.
    typed=400,
    # In an empty composer these keys open shell mode and the list of shortcuts. While keys come
    # fast, the CLI takes the composer for empty: they do so anywhere in a text.
    pasted=("!", "?"),
    folded=_folded,
    # An Enter can become a newline, which leaves an empty row after the text, and 0.61 loses it
    # while it starts. Each look waits up to a second for the screen to change.
    lost_after=3,
)
