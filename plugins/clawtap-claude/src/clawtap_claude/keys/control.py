"""Interrupt the turn, and switch the mode and the model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.info import MODES
from clawtap_claude.keys.compose import COMPOSER
from clawtap_claude.keys.profile import KEYS
from clawtap_claude.screen.composer import INSERT, find_composer
from clawtap_claude.screen.prompt import parse_prompt
from clawtap_claude.screen.state import detect_state
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
from clawtap_core.keystrokes import choose, compose, cycle, empty, holds, interrupt

_MODEL = re.compile(r"[\w.:/@\[\]-]+")
_SWITCH = "Switch model?"
_QUESTION = 8
_BACK, _STOPPING = 6, 20
_SETTLED = 0.25
_LEAVING, _MOMENT = 15, 0.1


@dataclass(frozen=True, slots=True)
class _Stopped:
    """Counts of looks since Escape was pressed, and of those at an idle screen.

    `inserting`: Escape left vi's insert mode, which is to be entered again.
    """

    waited: int = 0
    idle: int = 0
    inserting: bool = False


@dataclass(frozen=True, slots=True)
class _LeavingInsert:
    """A first Escape was pressed, which only leaves vi's insert mode."""

    waited: int = 0


@dataclass(frozen=True, slots=True)
class _ModelRequested:
    """The switch was sent; the CLI may still ask for confirmation."""

    waited: int = 0


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action, or None if the CLI cannot do it."""
    if isinstance(action, Interrupt):
        return _interrupt(action, screen, progress)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress)
    return _switch_model(action, screen, progress)


def _interrupt(action: Interrupt, screen: Screen, progress: Any) -> Steps | None:
    """Press Escape only while the CLI works."""
    # On an idle CLI two Escapes rewind the conversation.
    if isinstance(progress, _Stopped):
        return _tidy(action.sent, screen, progress)
    seen = None if parse_prompt(screen) else detect_state(screen, None)
    steps = interrupt(seen)
    if steps is None:
        return steps
    if _inserts(screen):
        waits = progress if isinstance(progress, _LeavingInsert) else _LeavingInsert()
        if waits.waited > _LEAVING:
            return None
        key = Pause(_MOMENT) if waits.waited else Press("Escape")
        return Steps((key,), progress=replace(waits, waited=waits.waited + 1))
    if isinstance(progress, _LeavingInsert):
        return replace(steps, progress=_Stopped(inserting=True), spans=True, done=False)
    if not action.sent or (seen and seen.draft) or _answers(screen):
        return steps
    return replace(steps, progress=_Stopped(), spans=True, done=False)


def _inserts(screen: Screen) -> bool:
    """Return True in vi's insert mode."""
    composer = find_composer(screen)
    return composer is not None and INSERT in composer.footer


def _answers(screen: Screen) -> bool:
    """Return True if the last message has an answer."""
    # The CLI puts an interrupted message back only if nothing came of it.
    composer = find_composer(screen)
    for line in reversed(screen.lines[: composer.top if composer else None]):
        if line.startswith(("●", "❯ ")):
            return line.startswith("●")
    return False


def _tidy(sent: str, screen: Screen, done: _Stopped) -> Steps:
    """Clear the interrupted message that the CLI put back into the composer."""
    composer = None if parse_prompt(screen) else find_composer(screen)
    stopped = _state(screen) is not SessionState.BUSY
    done = replace(done, waited=done.waited + 1, idle=done.idle + stopped)
    if done.inserting and stopped and composer and done.idle > 1:
        back = replace(done, inserting=False)
        return Steps(() if _inserts(screen) else (Press("i"),), progress=back, spans=True)
    if composer and sent and holds(composer.draft, sent):
        steps = empty(composer.draft, done, KEYS)
        return replace(steps, steps=(Pause(_SETTLED), *steps.steps), spans=True)
    if done.idle > _BACK or done.waited > _STOPPING or (composer and composer.draft):
        return Steps(done=True)
    return Steps((Pause(_SETTLED),), progress=done, spans=True)


def _state(screen: Screen) -> SessionState | None:
    seen = detect_state(screen, None)
    return seen.state if seen else None


def _switch_mode(mode: str, screen: Screen, progress: Any) -> Steps | None:
    """Press Shift+Tab, which cycles through the modes, until the mode is shown."""
    composer = None if parse_prompt(screen) else find_composer(screen)
    if mode not in {each.id for each in MODES} or composer is None or composer.draft:
        return None
    return cycle(mode, composer.mode, "BTab", progress)


def _switch_model(action: SwitchModel, screen: Screen, progress: Any) -> Steps | None:
    if not _MODEL.fullmatch(action.model):
        return None
    parsed = parse_prompt(screen)
    if parsed and parsed.form.title == _SWITCH:
        yes = parsed.form.with_effect(Effect.ALLOW_ONCE)
        steps = choose(parsed, yes.label, KEYS) if yes else None
        return steps and replace(steps, progress=_ModelRequested(), spans=True)
    if isinstance(progress, _ModelRequested):
        waits = replace(progress, waited=progress.waited + 1)
        return Steps((Pause(0.15),), waits, done=progress.waited >= _QUESTION, spans=True)
    steps = compose(f"/model {action.model}", screen, progress, COMPOSER)
    if steps and steps.done:
        return Steps(progress=_ModelRequested(), spans=True)
    return steps
