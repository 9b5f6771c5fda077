"""Interrupting, and switching the mode and the model."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from clawtap_codex.info import DEFAULT, PLAN
from clawtap_codex.keys.profile import HANDS
from clawtap_codex.screen.block import find_block
from clawtap_codex.screen.composer import find_composer
from clawtap_codex.screen.prompt import read
from clawtap_codex.screen.state import title_works, working_line
from clawtap_codex.text import mode_named, names_of_mode
from clawtap_core import (
    Action,
    Interrupt,
    Pause,
    Press,
    Screen,
    Steps,
    SwitchMode,
    SwitchModel,
    hookimpl,
)
from clawtap_core.keystrokes import KeyProgress, Writing, look_for, move_to, put, send_one_key
from clawtap_core.screens import OptionRow, ParsedPrompt

_SETTLED = 0.3
_PATIENCE = 8
_TURNS, _TURN_ROUNDS = 3, 2
_PERMISSIONS, _MODELS = "Update Model Permissions", "Select Model and Effort"
_EFFORT = re.compile(r"Select Reasoning Level for ")
_FULL_ACCESS, _ANYWAY = "Enable full access?", "Yes, continue anyway"
_SESSION_ONLY = re.compile(r"\bs session\b")
_NOTE = re.compile(r" \((?:current|default)\)")


@dataclass(frozen=True, slots=True)
class _Going:
    """How far a switch is: the command sent, the row chosen, or given up; rounds waited.

    `typing`: how far the command is. `first` is the row that the cursor stood on when the list
    opened, `moved` how it was moved since; `turns` counts the presses of Shift+Tab.
    """

    sent: bool = False
    chosen: bool = False
    lost: bool = False
    turns: int = 0
    waited: int = 0
    typing: Writing = field(default_factory=Writing)
    first: Hashable = None
    moved: KeyProgress = field(default_factory=KeyProgress)


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """The next keys of an action; None when the CLI can't."""
    if isinstance(action, Interrupt):
        return _interrupt(screen)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress or _Going())
    if isinstance(action, SwitchModel):
        return _switch_model(action.model, screen, progress or _Going())
    return None


def _interrupt(screen: Screen) -> Steps | None:
    """Escape, once, and only where it interrupts: a spare one edits old messages.

    While 0.116 writes an answer without its line with the clock, Escape does nothing.
    """
    composer = None if read(screen) else find_composer(screen)
    if composer is None:
        return None
    if not (title_works(screen) or working_line(screen.lines[: composer.row])):
        return None
    return Steps((Press("Escape", deciding=True),), done=True)


def _switch_mode(mode: str, screen: Screen, done: _Going) -> Steps | None:
    """Shift+Tab turns the plan mode on and off; the permissions are chosen from a list."""
    names = names_of_mode(mode)
    if not names and mode not in (PLAN, DEFAULT):
        return None
    composer = None if read(screen) else find_composer(screen)
    if composer and not done.sent:
        if composer.plans is not (mode == PLAN):
            return _turn(done)
        if not names:
            return Steps(done=True)
        done = replace(done, waited=0)
    return _pick("/permissions", _PERMISSIONS, lambda row: _is_mode(row, mode), screen, done)


def _turn(done: _Going) -> Steps | None:
    """Press Shift+Tab; once more when nothing came of it: at its start 0.169 loses keys."""
    if done.turns and done.waited < _TURN_ROUNDS * done.turns:
        return _wait(done)
    if done.turns >= _TURNS:
        return None
    return Steps((Press("BTab"), Pause(_SETTLED)), progress=replace(done, turns=done.turns + 1))


def _is_mode(row: OptionRow, mode: str) -> bool:
    return mode_named(row.label) == mode


def _switch_model(model: str, screen: Screen, done: _Going) -> Steps | None:
    composer = find_composer(screen)
    if composer and composer.model == model.lower() and not done.sent:
        return Steps(done=True)
    return _pick("/model", _MODELS, lambda row: _is_model(row, model), screen, done)


def _is_model(row: OptionRow, model: str) -> bool:
    return _bare(row.label).lower().replace(" ", "-") == model.lower()


def _bare(label: str) -> str:
    return _NOTE.sub("", label).strip()


def _pick(command: str, title: str, fits: Any, screen: Screen, done: _Going) -> Steps | None:
    """Open a list by its command, choose a row, and answer what the CLI asks about it."""
    now = read(screen)
    if now is None:
        return _at_composer(command, screen, done)
    if now.form.title == title and not done.chosen:
        return _row(now, fits, done)
    if done.chosen and (key := _follow_up(now, screen)):
        return _keys(key, done)
    return _wait(done)


def _at_composer(command: str, screen: Screen, done: _Going) -> Steps | None:
    """Type the command and send it; back here once a row was chosen it is done."""
    composer = find_composer(screen)
    if composer is None:
        return _wait(done)
    if done.sent:
        if done.lost:
            return None
        return Steps(done=True) if done.chosen else _wait(done)
    if composer.draft.strip() == command:
        keys = (Pause(_SETTLED), Press("Enter"), Pause(_SETTLED))
        return Steps(keys, progress=replace(done, sent=True, waited=0), spans=True)
    if composer.draft.strip() not in command:
        return _wait(done)
    # At its start 0.169 loses keys, and what is left of a command is none.
    steps = put(composer.draft, command, done.typing, HANDS)
    return steps and replace(steps, progress=replace(done, typing=steps.progress), spans=True)


def _row(now: ParsedPrompt, fits: Any, done: _Going) -> Steps | None:
    """The next key towards the row; without one the list is closed again."""
    row = next((each for each in now.rows if fits(each)), None)
    if row and row.selected:
        return _keys("Enter", replace(done, chosen=True))
    around = now.cursor == done.first and done.moved.count > 1
    lost = row is None and around
    steps = None if lost else send_one_key(now, done.moved, lambda _: _move(now, row))
    if steps is None:
        return _keys("Escape", replace(done, lost=True))
    first = now.cursor if done.first is None else done.first
    going = replace(done, moved=steps.progress, first=first)
    return replace(steps, progress=going, spans=True)


def _move(now: ParsedPrompt, row: OptionRow | None) -> Steps | None:
    return move_to(now, row) if row else look_for(now, HANDS)


def _follow_up(now: ParsedPrompt, screen: Screen) -> str | None:
    """The key that confirms what was chosen: the effort as it is proposed, full access."""
    if _EFFORT.match(now.form.title):
        block = find_block(screen)
        return "s" if block and _SESSION_ONLY.search(block.footer) else "Enter"
    anyway = now.row(_ANYWAY)
    return "Enter" if now.form.title == _FULL_ACCESS and anyway and anyway.selected else None


def _keys(key: str, done: _Going) -> Steps:
    return Steps(
        (Press(key, deciding=key != "Escape"), Pause(_SETTLED)),
        progress=replace(done, waited=0),
        spans=True,
    )


def _wait(done: _Going) -> Steps | None:
    if done.waited >= _PATIENCE:
        return None
    return Steps(progress=replace(done, waited=done.waited + 1), spans=done.sent)
