"""Reading a list whole that shows a part: through all of it, and back to where the cursor stood.

Lists go on at their beginning after their last row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_codex.detecting import read
from clawtap_codex.reading import Reading
from clawtap_codex.wording import options_of
from clawtap_core import Option, Press, PromptForm, QuestionOption, Screen, Steps, hookimpl
from clawtap_core.reading import OptionRow

_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class _Round:
    """Where the cursor stood at first and before the last key, and the rows seen so far."""

    start: int
    rows: tuple[OptionRow, ...] = ()
    effects: tuple[Option, ...] = ()
    before: int | None = None
    waited: int = 0


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """One row down in each round, until the cursor is back at its first row."""
    now = read(screen)
    if now is None:
        return Steps(progress=progress)
    if now.cursor is None:
        return None
    done: _Round = progress or _Round(now.cursor)
    done = replace(done, rows=_merged(done.rows, now), effects=_known(done.effects, now))
    if done.before is not None and now.cursor == done.before:
        waits = replace(done, waited=done.waited + 1)
        return Steps(progress=waits) if done.waited < _PATIENCE else None
    if done.before is not None and now.cursor == done.start:
        return Steps(done=True, form=_whole(prompt, done))
    return Steps((Press("Down"),), progress=replace(done, before=now.cursor, waited=0))


def _merged(rows: Sequence[OptionRow], now: Reading) -> tuple[OptionRow, ...]:
    """The rows by number; what was seen first stays, since later views may be cut."""
    known = {row.number: row for row in (*now.rows, *rows)}
    return tuple(known[number] for number in sorted(known, key=lambda number: number or 0))


def _known(options: Sequence[Option], now: Reading) -> tuple[Option, ...]:
    labels = {option.label for option in options}
    return (*options, *(option for option in now.form.options if option.label not in labels))


def _whole(prompt: PromptForm, done: _Round) -> PromptForm:
    if prompt.questions:
        offered = tuple(QuestionOption(row.label, row.description or None) for row in done.rows)
        asked = (replace(prompt.questions[0], options=offered), *prompt.questions[1:])
        return replace(prompt, questions=asked, more_options=False)
    means = {option.label: option for option in done.effects}
    options = tuple(_as_seen(option, means) for option in options_of(done.rows))
    return replace(prompt, options=options, more_options=False)


def _as_seen(option: Option, means: dict[str, Option]) -> Option:
    """The option with the effect and the key hint that its own screen told."""
    seen = means.get(option.label)
    return replace(option, effect=seen.effect, hint=seen.hint) if seen else option
