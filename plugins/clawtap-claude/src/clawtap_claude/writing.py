"""Writing free text into a row: reached, filled, read back, and only then is Enter pressed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clawtap_claude.choosing import MOVES, decide, towards
from clawtap_claude.reading import Reading
from clawtap_core import Press, Step, Steps, Type
from clawtap_core.fingerprint import squeeze

_PATIENCE = 5
_TRIES = 3
_TAIL = 20
_AT_ONCE = 60


@dataclass(frozen=True, slots=True)
class Writing:
    """What was done so far: keys to reach the row, how often the text was typed, rounds waited."""

    moves: int = 0
    typed: bool = False
    waited: int = 0
    tries: int = 0


def write(now: Reading, text: str, done: Writing) -> Steps | None:
    """The next steps of an answer in free text. None: no row can be found for it."""
    steps = fill(now, text, done)
    if steps is None or not steps.done:
        return steps
    return decide("Enter")


def fill(now: Reading, text: str, done: Writing) -> Steps | None:
    """The next steps until the row holds the text; `done` when it does."""
    field = now.field
    if field is None or done.moves >= MOVES:
        return None
    if not field.focused:
        # A digit would tick the row, or send what an earlier hand left in it.
        key = towards(now, field.row)
        return Steps((Press(key),), progress=replace(done, moves=done.moves + 1))
    return typed(field.text, line(text), done)


def typed(held: str, text: str, done: Writing) -> Steps | None:
    """Type into a field that has the keys, and wait until it shows the text."""
    if holds(held, text):
        return Steps(progress=done, done=True)
    if done.typed and done.waited < _PATIENCE:
        return Steps((), progress=replace(done, waited=done.waited + 1))
    if held:
        return Steps(clearing(held), progress=replace(done, typed=False, waited=0))
    if done.tries >= _TRIES:
        return None
    # A field that has just opened may not take keys yet; an empty one got none of them.
    typed_once = replace(done, typed=True, waited=0, tries=done.tries + 1)
    return Steps((Type(text),), progress=typed_once)


def line(text: str) -> str:
    """The text in one line: in these fields a newline would be Enter."""
    return " ".join(text.split())


def holds(held: str, text: str) -> bool:
    """Whether a field holds the text; of a long one, its end is shown."""
    shown, wanted = squeeze(held), squeeze(text)
    return shown == wanted or (len(shown) >= _TAIL and wanted.endswith(shown))


def clearing(held: str) -> tuple[Step, ...]:
    """Keys that empty a field."""
    return (Press("End"), *[Press("BSpace")] * min(len(held) + 1, _AT_ONCE))
