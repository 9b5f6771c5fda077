"""Ticking several rows: only those that differ are toggled, all are read back, then Done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from clawtap_core import Press, Steps
from clawtap_core.reading import OptionRow
from clawtap_gemini.asking import ALL
from clawtap_gemini.choosing import towards
from clawtap_gemini.reading import Reading
from clawtap_gemini.writing import Writing, clearing, write


@dataclass(frozen=True, slots=True)
class Ticking:
    """The numbers of the rows read back as wanted, and how the text is getting on."""

    right: frozenset[int] = frozenset()
    writing: Writing = field(default_factory=Writing)


def tick(now: Reading, labels: Collection[str], text: str, done: Ticking) -> Steps | None:
    """The next key of an answer with several labels, and free text beside them."""
    wrong = [row for row in now.rows if row.label != ALL and row.checked != _wanted(row, labels)]
    numbers = {row.number for row in now.rows if row.number}
    done = replace(done, right=(done.right | numbers) - {row.number for row in wrong if row.number})
    if wrong:
        return _toggle(now, wrong[0], done)
    if not _complete(now, done):
        return Steps((Press("Down"),), progress=done)
    if text:
        return _write(now, text, done)
    return _finish(now, done)


def _wanted(row: OptionRow, labels: Collection[str]) -> bool:
    return row.label in labels or ALL in labels


def _toggle(now: Reading, row: OptionRow, done: Ticking) -> Steps:
    if now.field and now.field.focused:
        return Steps((Press("Up"),), progress=done)
    if row.number and row.number <= 9:
        return Steps((Press(str(row.number)),), progress=done)
    key = "Enter" if row.selected else towards(now, row)
    return Steps((Press(key),), progress=done)


def _complete(now: Reading, done: Ticking) -> bool:
    """Whether every row of the list was read back: those before the field or Done."""
    last = now.field.row if now.field else None
    if last and last.number:
        end = last.number - 1
    elif now.steer and now.rows:
        end = now.rows[-1].number or 0
    else:
        return False
    return done.right >= set(range(1, end + 1))


def _write(now: Reading, text: str, done: Ticking) -> Steps | None:
    steps = write(now, text, done.writing)
    if steps is None or steps.done:
        return steps
    return replace(steps, progress=replace(done, writing=steps.progress))


def _finish(now: Reading, done: Ticking) -> Steps:
    """Without a text of ours the field is emptied, since it would be sent too; then Done."""
    free = now.field
    if free and free.row and free.text:
        keys = clearing(free) if free.focused else (Press(towards(now, free.row)),)
        return Steps(keys, progress=done)
    if now.steer and now.steer.selected:
        return Steps((Press("Enter", deciding=True),), done=True)
    return Steps((Press("Down"),), progress=done)
