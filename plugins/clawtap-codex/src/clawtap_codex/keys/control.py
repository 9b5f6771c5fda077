"""The keys that interrupt, and switch mode and model."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from clawtap_codex.info import DEFAULT, PLAN
from clawtap_codex.keys.profile import KEY_PROFILE
from clawtap_codex.screen.block import find_block
from clawtap_codex.screen.composer import find_composer
from clawtap_codex.screen.prompt import parse_prompt
from clawtap_codex.screen.state import title_works, working_line
from clawtap_codex.text import labels_of_mode, mode_from_label
from clawtap_codex.words import WORDS
from clawtap_core import (
    Action,
    Interrupt,
    Pause,
    Press,
    Screen,
    SeenState,
    SessionState,
    Steps,
    SwitchMode,
    SwitchModel,
    hookimpl,
)
from clawtap_core.keystrokes import (
    KeyProgress,
    TextProgress,
    interrupt,
    look_for,
    move_to,
    put,
    send_one_key,
)
from clawtap_core.screens import OptionRow, ParsedPrompt

_SETTLE_TIME = 0.3
_PATIENCE = 8
_TOGGLE_TRIES, _TOGGLE_ROUNDS = 3, 2
_PERMISSIONS, _MODELS = "Update Model Permissions", "Select Model and Effort"
_EFFORT = WORDS.pattern("control.effort")
_FULL_ACCESS = WORDS.texts("control.full_access")
_ANYWAY = "Yes, continue anyway"
_SESSION_ONLY = WORDS.pattern("control.session_only")
_NOTE = re.compile(r" \((?:current|default)\)")


@dataclass(frozen=True, slots=True)
class _SwitchProgress:
    sent: bool = False  # the command that opens the list
    chosen: bool = False
    lost: bool = False  # the list does not have the row
    toggles: int = 0  # how often Shift+Tab was pressed
    waited: int = 0  # rounds without a key
    typing: TextProgress = field(default_factory=TextProgress)
    first: Hashable = None  # the row under the cursor when the list opened
    moved: KeyProgress = field(default_factory=KeyProgress)


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an action, or None if the CLI cannot do it now."""
    if isinstance(action, Interrupt):
        return _interrupt(screen, progress)
    if isinstance(action, SwitchMode):
        return _switch_mode(action.mode, screen, progress or _SwitchProgress())
    if isinstance(action, SwitchModel):
        return _switch_model(action.model, screen, progress or _SwitchProgress())
    return None


def _interrupt(screen: Screen, progress: Any) -> Steps | None:
    composer = None if parse_prompt(screen) else find_composer(screen)
    if composer is None:
        return None
    # An Escape that interrupts nothing begins to edit old messages. While 0.116 writes an answer
    # without showing the clock, Escape does nothing.
    works = title_works(screen) or working_line(screen.lines[: composer.row])
    seen = SeenState(SessionState.BUSY if works else SessionState.IDLE)
    steps = interrupt(seen, progress=progress, covered=composer.covered)
    if steps and steps.done and steps.deciding and composer.vim not in (None, "Normal"):
        # Here Escape only leaves the mode in which text is typed.
        return Steps((Press("Escape"), Pause(_SETTLE_TIME)))
    return steps


def _switch_mode(mode: str, screen: Screen, progress: _SwitchProgress) -> Steps | None:
    names = labels_of_mode(mode)
    if not names and mode not in (PLAN, DEFAULT):
        return None
    composer = None if parse_prompt(screen) else find_composer(screen)
    if composer and not progress.sent:
        if composer.plan_mode is not (mode == PLAN):
            return _toggle_plan(progress)
        if not names:
            return Steps(done=True)
        progress = replace(progress, waited=0)
    return _pick_from_list(
        "/permissions",
        _PERMISSIONS,
        lambda row: mode_from_label(row.label) == mode,
        screen,
        progress,
    )


def _toggle_plan(progress: _SwitchProgress) -> Steps | None:
    if progress.toggles and progress.waited < _TOGGLE_ROUNDS * progress.toggles:
        return _wait(progress)
    if progress.toggles >= _TOGGLE_TRIES:
        return None
    # Pressed again if nothing changed: 0.169 loses keys while it starts.
    return Steps(
        (Press("BTab"), Pause(_SETTLE_TIME)),
        progress=replace(progress, toggles=progress.toggles + 1),
    )


def _switch_model(model: str, screen: Screen, progress: _SwitchProgress) -> Steps | None:
    composer = find_composer(screen)
    if composer and composer.model == model.lower() and not progress.sent:
        return Steps(done=True)

    def is_model(row: OptionRow) -> bool:
        name = _NOTE.sub("", row.label).strip()
        return name.lower().replace(" ", "-") == model.lower()

    return _pick_from_list("/model", _MODELS, is_model, screen, progress)


def _pick_from_list(
    command: str,
    title: str,
    fits: Callable[[OptionRow], bool],
    screen: Screen,
    progress: _SwitchProgress,
) -> Steps | None:
    """Open a list by its command, choose a row and confirm what the CLI asks about it."""
    parsed = parse_prompt(screen)
    if parsed is None:
        return _at_composer(command, screen, progress)
    if parsed.form.title == title and not progress.chosen:
        row = next((each for each in parsed.rows if fits(each)), None)
        return _key_to_row(parsed, row, progress)
    if progress.chosen and (key := _follow_up(parsed, screen)):
        return _send_key(key, progress)
    return _wait(progress)


def _at_composer(command: str, screen: Screen, progress: _SwitchProgress) -> Steps | None:
    composer = find_composer(screen)
    if composer is None:
        return _wait(progress)
    if progress.sent:
        # The switch ends where it began, with the row chosen or the list closed.
        if progress.lost:
            return None
        return Steps(done=True) if progress.chosen else _wait(progress)
    if composer.draft.strip() == command:
        keys = (Pause(_SETTLE_TIME), Press("Enter"), Pause(_SETTLE_TIME))
        return Steps(keys, progress=replace(progress, sent=True, waited=0), spans=True)
    if composer.draft.strip() not in command:
        return _wait(progress)
    # 0.169 loses keys while it starts, which leaves part of a command to be completed.
    steps = put(composer.draft, command, progress.typing, KEY_PROFILE)
    return steps and replace(steps, progress=replace(progress, typing=steps.progress), spans=True)


def _key_to_row(
    parsed: ParsedPrompt, row: OptionRow | None, progress: _SwitchProgress
) -> Steps | None:
    """Move to the row, or close a list that was seen whole without it."""
    if row and row.selected:
        return _send_key("Enter", replace(progress, chosen=True))

    def move(_: object) -> Steps | None:
        return move_to(parsed, row) if row else look_for(parsed, KEY_PROFILE)

    around = parsed.cursor == progress.first and progress.moved.count > 1
    steps = None if row is None and around else send_one_key(parsed, progress.moved, move)
    if steps is None:
        return _send_key("Escape", replace(progress, lost=True))
    first = parsed.cursor if progress.first is None else progress.first
    going = replace(progress, moved=steps.progress, first=first)
    return replace(steps, progress=going, spans=True)


def _follow_up(parsed: ParsedPrompt, screen: Screen) -> str | None:
    """Return the key that confirms what the CLI asks about a choice."""
    if _EFFORT.match(parsed.form.title):
        # The effort that is proposed, for this session only where the list offers that.
        block = find_block(screen)
        return "s" if block and _SESSION_ONLY.search(block.footer) else "Enter"
    anyway = parsed.row(_ANYWAY)
    return "Enter" if parsed.form.title in _FULL_ACCESS and anyway and anyway.selected else None


def _send_key(key: str, progress: _SwitchProgress) -> Steps:
    return Steps(
        (Press(key, deciding=key != "Escape"), Pause(_SETTLE_TIME)),
        progress=replace(progress, waited=0),
        spans=True,
    )


def _wait(progress: _SwitchProgress) -> Steps | None:
    if progress.waited >= _PATIENCE:
        return None
    return Steps(progress=replace(progress, waited=progress.waited + 1), spans=progress.sent)
