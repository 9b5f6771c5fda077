"""Typing a message: placed, seen, Enter, seen to have left; once more only where the CLI took
the Enter for a newline."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import (
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
from clawtap_gemini.composer import Composer, find_composer
from clawtap_gemini.detecting import read
from clawtap_gemini.state import detect_state

_SETTLED = 0.2
_TAIL = 30
_PATIENCE = 8
_ENTERS = 4
# The CLI takes a hundred typed characters a second.
_TYPED_AT_MOST = 400
_FOLDED = re.compile(r"\[Pasted Text: (?P<count>\d+) (?P<unit>lines|chars)(?: #\d+)?\]")
# On an empty composer these keys do something else: shell mode, the list of shortcuts.
_NOT_TYPED = ("!", "?")


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
        return _after_enter(text, composer, done)
    if _holds(composer, text) or (done.typed and _folded(composer, text)):
        return _enter(done)
    if composer.draft or done.typed or _state(screen) is not SessionState.IDLE:
        return _wait(done)
    return Steps(_typing(text), progress=replace(done, typed=True), spans=True)


def _typing(text: str) -> tuple[Step, ...]:
    whole = _closed(text)
    return Type(whole) if _can_be_typed(text) else Paste(whole), Pause(_SETTLED)


def _can_be_typed(text: str) -> bool:
    short = len(text) <= _TYPED_AT_MOST
    return short and text.isprintable() and not text.startswith(_NOT_TYPED)


def _closed(text: str) -> str:
    """A blank after a file's name ends its completion, which would take the Enter."""
    words = text.split()
    return f"{text} " if words and words[-1].startswith("@") else text


def _enter(done: _Done) -> Steps:
    """Enter, right after the screen was read: a prompt that opens now would take it."""
    keys = (Press("Enter", deciding=True),)
    return Steps(keys, progress=_Done(True, done.enters + 1), spans=True)


def _after_enter(text: str, composer: Composer, done: _Done) -> Steps:
    """An empty row after the text is the Enter, taken for a newline: only then is another safe."""
    mine = _holds(composer, text) or _folded(composer, text)
    if not composer.draft or not mine or done.waited >= _PATIENCE:
        return Steps(done=True)
    if composer.broken and done.enters < _ENTERS:
        return _enter(done)
    return Steps(progress=replace(done, waited=done.waited + 1), spans=True)


def _wait(done: _Done) -> Steps | None:
    if done.waited >= _PATIENCE:
        return None
    return Steps(progress=replace(done, waited=done.waited + 1), spans=done.typed)


def _holds(composer: Composer, text: str) -> bool:
    """Whether the draft is this text; of a long one, its end is shown."""
    held, wanted = squeeze(composer.draft), squeeze(text)
    return held == wanted or (len(held) >= _TAIL and wanted.endswith(held))


def _folded(composer: Composer, text: str) -> bool:
    """Whether the draft stands for this text: the CLI folds a long paste, and sends it whole."""
    found = _FOLDED.fullmatch(composer.draft.strip())
    if found is None:
        return False
    whole = {"lines": text.count("\n") + 1, "chars": len(text)}
    return int(found["count"]) == whole[found["unit"]]


def _state(screen: Screen) -> SessionState | None:
    seen = detect_state(screen, None)
    return seen.state if seen else None
