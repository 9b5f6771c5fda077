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


@dataclass(frozen=True, slots=True)
class _Switching:
    """The modes that were passed, and rounds waited since the last key."""

    passed: tuple[str, ...] = ()
    waited: int = 0


@dataclass(frozen=True, slots=True)
class _Told:
    """The switch was sent; for a while the CLI may ask whether it is meant."""

    waited: int = 0


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an action; None when the CLI can't."""
    if isinstance(action, Interrupt):
        return _interrupt(screen)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress or _Switching())
    return _switch_model(action, screen, progress)


def _interrupt(screen: Screen) -> Steps | None:
    """Escape, once, and only while the CLI is busy: twice on an idle one rewinds."""
    seen = None if read(screen) else detect_state(screen, None)
    if seen is None or seen.state is not SessionState.BUSY:
        return None
    return Steps((Press("Escape", deciding=True),), done=True)


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
