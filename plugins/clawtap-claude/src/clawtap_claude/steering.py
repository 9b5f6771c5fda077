"""Interrupting, and switching the mode and the model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.choosing import choose
from clawtap_claude.composer import find_composer
from clawtap_claude.composing import typed
from clawtap_claude.detecting import read
from clawtap_claude.info import MODES
from clawtap_claude.state import detect_state
from clawtap_claude.writing import clearing, holds
from clawtap_core import (
    Action,
    Effect,
    Interrupt,
    Pause,
    Press,
    Screen,
    SessionState,
    Steps,
    SwitchMode,
    SwitchModel,
    hookimpl,
)

_PATIENCE = 15
_KEYS = 8
_MODEL = re.compile(r"[\w.:/@\[\]-]+")
_SWITCH = "Switch model?"
_QUESTION = 8
_BACK = 4
_SETTLED = 0.25


@dataclass(frozen=True, slots=True)
class _Switching:
    """The modes that were passed, and rounds waited since the last key."""

    passed: tuple[str, ...] = ()
    waited: int = 0


@dataclass(frozen=True, slots=True)
class _Stopped:
    """Escape was pressed; how often the composer was looked at since."""

    waited: int = 0


@dataclass(frozen=True, slots=True)
class _Told:
    """The switch was sent; for a while the CLI may ask whether it is meant."""

    waited: int = 0


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an action; None when the CLI can't."""
    if isinstance(action, Interrupt):
        return _interrupt(action, screen, progress)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress or _Switching())
    return _switch_model(action, screen, progress)


def _interrupt(action: Interrupt, screen: Screen, progress: Any) -> Steps | None:
    """Escape, once, and only while the CLI is busy: twice on an idle one rewinds."""
    if isinstance(progress, _Stopped):
        return _tidy(action.sent, screen, progress)
    seen = None if read(screen) else detect_state(screen, None)
    if seen is None or seen.state is not SessionState.BUSY:
        return None
    key = Press("Escape", deciding=True)
    if not action.sent or seen.draft or _answers(screen):
        return Steps((key,), done=True)
    return Steps((key,), progress=_Stopped(), spans=True)


def _answers(screen: Screen) -> bool:
    """Whether anything came of the last message: then the CLI does not put it back."""
    composer = find_composer(screen)
    for line in reversed(screen.lines[: composer.top if composer else None]):
        if line.startswith(("●", "❯ ")):
            return line.startswith("●")
    return False


def _tidy(sent: str, screen: Screen, done: _Stopped) -> Steps:
    """Clear away the message, which the CLI puts back when nothing had come of it yet."""
    composer = None if read(screen) else find_composer(screen)
    if composer and holds(composer.draft, sent):
        keys = (Pause(_SETTLED), *clearing(composer.draft))
        return Steps(keys, progress=replace(done, waited=done.waited + 1), spans=True)
    if done.waited >= _BACK or (composer and composer.draft):
        return Steps(done=True)
    return Steps((Pause(_SETTLED),), progress=replace(done, waited=done.waited + 1), spans=True)


def _switch_mode(mode: str, screen: Screen, done: _Switching) -> Steps | None:
    """Shift+Tab goes round: each step is read back, and a mode that does not come is not there."""
    composer = None if read(screen) else find_composer(screen)
    if mode not in {each.id for each in MODES} or composer is None or composer.draft:
        return None
    if composer.mode == mode:
        return Steps(done=True)
    if composer.mode is None or (done.passed and composer.mode == done.passed[-1]):
        # Not painted yet, or hidden by another note for a moment.
        waits = replace(done, waited=done.waited + 1)
        return Steps((Pause(0.1),), progress=waits) if done.waited < _PATIENCE else None
    if composer.mode in done.passed[:-1] or len(done.passed) >= _KEYS:
        return None
    return Steps((Press("BTab"),), progress=_Switching((*done.passed, composer.mode)))


def _switch_model(action: SwitchModel, screen: Screen, progress: Any) -> Steps | None:
    if not _MODEL.fullmatch(action.model):
        return None
    now = read(screen)
    if now and now.form.title == _SWITCH:
        yes = now.form.with_effect(Effect.ALLOW_ONCE)
        steps = choose(now, yes.label, 0) if yes else None
        return steps and replace(steps, progress=_Told(), spans=True)
    if isinstance(progress, _Told):
        waits = replace(progress, waited=progress.waited + 1)
        return Steps((Pause(0.15),), waits, done=progress.waited >= _QUESTION, spans=True)
    steps = typed(f"/model {action.model}", screen, progress)
    if steps and steps.done:
        return Steps(progress=_Told(), spans=True)
    return steps
