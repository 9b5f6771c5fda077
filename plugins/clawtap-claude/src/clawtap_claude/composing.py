"""Typing a message: placed, seen, Enter, seen to have left; once more only where it was lost."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.composer import Composer, find_composer
from clawtap_claude.detecting import read
from clawtap_claude.state import detect_state
from clawtap_core import (
    Expect,
    Paste,
    Pause,
    Press,
    Screen,
    SessionState,
    Step,
    Steps,
    Type,
    hookimpl,
)
from clawtap_core.fingerprint import squeeze

_SETTLED = 0.25
_TAIL = 30
_PATIENCE = 8
_LOST_AFTER = 3
_ENTERS = 3
_PIECE = 400
_FOLDED = re.compile(r"\[Pasted text #\d+(?: \+\d+ lines)?\]")


@dataclass(frozen=True, slots=True)
class _Done:
    """Whether the text was typed, how often Enter was pressed, and rounds waited since."""

    typed: bool = False
    enters: int = 0
    waited: int = 0


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """The next steps of a message."""
    return typed(text.strip(), screen, progress)


def typed(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Type a text into the empty composer and send it."""
    done: _Done = progress or _Done()
    composer = None if read(screen) else find_composer(screen)
    if composer is None:
        return Steps(done=True) if done.enters else Steps(progress=done)
    if done.enters:
        return _after_enter(text, screen, composer, done)
    if _holds(composer, text):
        return _enter(done)
    if composer.draft or done.typed or _state(screen) is not SessionState.IDLE:
        return _wait(done)
    # A paste that is folded out of sight is read back here: the core would not know it.
    return Steps(_typing(text), progress=replace(done, typed=True), spans=not _short(text))


def _short(text: str) -> bool:
    """Whether the text can be typed: more of it at once is taken for a paste anyway."""
    return text.isprintable() and len(text) <= _PIECE


def _typing(text: str) -> tuple[Step, ...]:
    # On an empty composer this character opens the shell mode.
    whole = f" {_closed(text)}" if text.startswith("!") else _closed(text)
    if _short(text):
        return Type(whole), Pause(_SETTLED), Expect(squeeze(text)[-_TAIL:])
    return Paste(whole), Pause(_SETTLED)


def _closed(text: str) -> str:
    """A blank after a file's name ends its completion, which would take the Enter."""
    words = text.split()
    return f"{text} " if words and words[-1].startswith("@") else text


def _enter(done: _Done) -> Steps:
    keys = (Pause(_SETTLED), Press("Enter", deciding=True))
    return Steps(keys, progress=_Done(True, done.enters + 1), spans=True)


def _after_enter(text: str, screen: Screen, composer: Composer, done: _Done) -> Steps:
    """An idle CLI that still shows the text after a while has lost the Enter: once more."""
    if not _holds(composer, text) or done.waited >= _PATIENCE:
        return Steps(done=True)
    lost = done.waited >= _LOST_AFTER and _state(screen) is SessionState.IDLE
    if lost and done.enters < _ENTERS:
        return _enter(done)
    return Steps(progress=replace(done, waited=done.waited + 1), spans=True)


def _wait(done: _Done) -> Steps | None:
    if done.waited >= _PATIENCE:
        return None
    return Steps(progress=replace(done, waited=done.waited + 1))


def _holds(composer: Composer, text: str) -> bool:
    """Whether the draft is this text; of a long one the end is shown, or a note in its place."""
    held, wanted = squeeze(composer.draft), squeeze(text)
    if not _short(text) and _FOLDED.fullmatch(composer.draft.strip()):
        return True
    return held == wanted or (len(held) >= _TAIL and wanted.endswith(held))


def _state(screen: Screen) -> SessionState | None:
    seen = detect_state(screen, None)
    return seen.state if seen else None
