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
from clawtap_claude.screen.state import detect_state, shows_transcript
from clawtap_claude.words import WORDS
from clawtap_core import (
    Action,
    Effect,
    Interrupt,
    Pause,
    Press,
    Screen,
    SessionState,
    Steps,
    SwitchModel,
    hookimpl,
)
from clawtap_core.keystrokes import CycleProgress, choose, compose, cycle, empty, holds, interrupt

_MODEL = re.compile(r"[\w.:/@\[\]-]+")
_SWITCH = WORDS.texts("control.switch")
_QUESTION = 8
_BACK, _STOPPING = 6, 20
_SETTLED = 0.25
_LEAVING, _MOMENT = 15, 0.1
# Looks without a mode: longer than a mode takes to be painted.
_UNSHOWN = 10


@dataclass(frozen=True, slots=True)
class _Stopped:
    """Counts of looks since Escape was pressed, and of those at an idle screen.

    `inserting`: Escape left vi's insert mode, which has to be entered again.
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
    if isinstance(action, SwitchModel):
        return _switch_model(action, screen, progress)
    composer = None if parse_prompt(screen) else find_composer(screen)
    if action.mode not in {mode.id for mode in MODES} or composer is None or composer.draft:
        return None
    shown = composer.mode
    if shown is None and isinstance(progress, CycleProgress) and progress.waited >= _UNSHOWN:
        # Older versions show no word for the mode that asks, and a status line, vi's mode or a task
        # in the background stands where their hint would. Only after another mode is it certain.
        shown = "default" if any(progress.passed) else ""
    return cycle(action.mode, shown, "BTab", progress)


def _interrupt(action: Interrupt, screen: Screen, progress: Any) -> Steps | None:
    # Only while the CLI works: on an idle one, two Escapes rewind the conversation.
    if isinstance(progress, _Stopped):
        return _clear_returned_message(action.sent, screen, progress)
    seen = None if parse_prompt(screen) else detect_state(screen, None)
    if seen and seen.overlaid:
        # Whether it works was known before, and shows again when the menu is closed.
        seen = replace(seen, state=SessionState.BUSY)
    inserts = _inserts(screen)
    steps = interrupt(seen, progress=progress, covered=not inserts and _is_covered(screen))
    if steps is None or not steps.done:
        return steps
    if steps.deciding and inserts:
        waits = progress if isinstance(progress, _LeavingInsert) else _LeavingInsert()
        if waits.waited > _LEAVING:
            return None
        key = Pause(_MOMENT) if waits.waited else Press("Escape")
        return Steps((key,), progress=replace(waits, waited=waits.waited + 1))
    if isinstance(progress, _LeavingInsert):
        return replace(steps, progress=_Stopped(inserting=True), spans=True, done=False)
    # The CLI puts an interrupted message back into the composer only if it had no effect yet.
    if not action.sent or (seen and seen.draft) or _last_message_has_answer(screen):
        return steps
    return replace(steps, progress=_Stopped(), spans=True, done=False)


def _is_covered(screen: Screen) -> bool:
    composer = find_composer(screen)
    return composer.covered if composer else shows_transcript(screen)


def _inserts(screen: Screen) -> bool:
    composer = find_composer(screen)
    return composer is not None and bool(INSERT.search(composer.footer))


def _last_message_has_answer(screen: Screen) -> bool:
    composer = find_composer(screen)
    for line in reversed(screen.lines[: composer.top if composer else None]):
        if line.startswith(("●", "❯ ")):
            return line.startswith("●")
    return False


def _clear_returned_message(sent: str, screen: Screen, progress: _Stopped) -> Steps:
    composer = None if parse_prompt(screen) else find_composer(screen)
    seen = detect_state(screen, None)
    stopped = seen is None or seen.state is not SessionState.BUSY
    progress = replace(progress, waited=progress.waited + 1, idle=progress.idle + stopped)
    if progress.inserting and stopped and composer and progress.idle > 1:
        back = replace(progress, inserting=False)
        return Steps(() if _inserts(screen) else (Press("i"),), progress=back, spans=True)
    if composer and sent and holds(composer.draft, sent):
        steps = empty(composer.draft, progress, KEYS)
        return replace(steps, steps=(Pause(_SETTLED), *steps.steps), spans=True)
    if progress.idle > _BACK or progress.waited > _STOPPING or (composer and composer.draft):
        return Steps(done=True)
    return Steps((Pause(_SETTLED),), progress=progress, spans=True)


def _switch_model(action: SwitchModel, screen: Screen, progress: Any) -> Steps | None:
    if not _MODEL.fullmatch(action.model):
        return None
    parsed = parse_prompt(screen)
    if parsed and parsed.form.title in _SWITCH:
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
