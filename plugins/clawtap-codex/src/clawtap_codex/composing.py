"""Typing a message: placed by paste, seen in the composer, then Enter.

A fast Enter is taken for a newline, so there is a pause before it. A paste of more than a
thousand characters is shown as a mark only: long texts go in pieces that can be read back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clawtap_codex.composer import Composer, find_composer
from clawtap_codex.detecting import read
from clawtap_core import Expect, Paste, Pause, Press, Screen, Step, Steps, hookimpl
from clawtap_core.fingerprint import squeeze

_SETTLED = 0.25
_TAIL = 20
_PIECE = 900
_PATIENCE = 10
# At its start 0.169 loses what is typed: a composer that stays empty gets the text once more.
_PASTES, _LOST_AFTER = 2, 3
# A file, a skill or an app at the end opens a list that takes the Enter; a blank closes it.
_COMPLETED = ("@", "$")


@dataclass(frozen=True, slots=True)
class _Done:
    """How often the text was pasted, and the rounds waited since."""

    pastes: int = 0
    waited: int = 0


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Put a text into the empty composer, see it there, and send it."""
    text, done = text.strip(), progress or _Done()
    composer = None if read(screen) else find_composer(screen)
    if composer is None:
        return _wait(done)
    if _holds(composer, text):
        return Steps((Pause(_SETTLED), Press("Enter", deciding=True)), done=True)
    if composer.draft or done.waited < _LOST_AFTER * done.pastes:
        return _wait(done)
    if done.pastes >= _PASTES:
        return None
    return Steps(_pasting(text), progress=replace(done, pastes=done.pastes + 1))


def _pasting(text: str) -> tuple[Step, ...]:
    whole = _closed(text)
    pieces = [whole[at : at + _PIECE] for at in range(0, len(whole), _PIECE)]
    steps: list[Step] = []
    for piece in pieces:
        steps += [Paste(piece), Pause(_SETTLED)]
    return (*steps, Expect(squeeze(text)[-_TAIL:]))


def _closed(text: str) -> str:
    words = text.split()
    return f"{text} " if words and words[-1].startswith(_COMPLETED) else text


def _wait(done: _Done) -> Steps | None:
    if done.waited >= _PATIENCE:
        return None
    return Steps(progress=replace(done, waited=done.waited + 1))


def _holds(composer: Composer, text: str) -> bool:
    """Whether the draft is this text; of a long one, its end is shown."""
    held, wanted = squeeze(composer.draft), squeeze(text)
    return held == wanted or (len(held) >= _TAIL and wanted.endswith(held))
