"""Typing a message: placed in an empty composer, read back, Enter, and seen to have left.

It stands there exactly once, nothing is typed over a draft of the desk's, and Enter is pressed a
second time only where facts of the CLI prove that the first one was lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.keystrokes.key_profile import pause
from clawtap_core.keystrokes.text_field import holds
from clawtap_core.model import Paste, Pause, Press, Screen, Step, Steps, Type

_PATIENCE, _MOMENT = 8, 0.1
_LOST_AFTER = 3
_STILL_FOR, _STILL_MOMENT = 2, 0.4
_ENTERS = 4


@dataclass(frozen=True)
class Draft:
    """What a composer shows. `idle`: the CLI takes messages; `broken`: the draft ends with a new
    line that is still empty."""

    text: str
    idle: bool = True
    broken: bool = False


def _never(*_: Any) -> bool:
    return False


@dataclass(frozen=True)
class ComposerProfile:
    """How one CLI takes messages.

    `read`: its composer; None while there is none, or a prompt is open. At most `typed` characters
    go in as keys, except where the text holds one of `pasted`; the rest is pasted, in pieces of
    `piece`. A text that begins with one of `led` gets a blank before it, one whose last word
    begins with one of `completed` a blank behind it, since a list that is open takes the Enter.
    `folded`: whether a draft stands for the text, which is out of sight. `tries`: how often a text
    is placed of which nothing arrived. `lost_after`: at how many looks a draft that still stands in
    an idle composer proves that the Enter was lost, as a broken one does at once; without it, Enter
    is pressed once, and that is all.
    """

    read: Callable[[Screen], Draft | None]
    after_text: float = 0.2
    before_enter: float = 0.0
    typed: int = 400
    pasted: tuple[str, ...] = ()
    piece: int | None = None
    led: tuple[str, ...] = ()
    completed: tuple[str, ...] = ("@",)
    folded: Callable[[str, str], bool] = _never
    tries: int = 1
    lost_after: int | None = None

    def lost(self, draft: Draft, looks: int) -> bool:
        """Whether the Enter got lost: the draft has stood here for so many looks since."""
        if self.lost_after is None:
            return False
        return draft.broken or (draft.idle and looks >= self.lost_after)


@dataclass(frozen=True)
class Composed:
    """How often the text was placed and Enter pressed; how long nothing came of it.

    `seen` is the draft at the last look, `waited` for how many looks it has been the same; `away`
    says that the text, once entered, was not to be seen at the last look.
    """

    placed: int = 0
    enters: int = 0
    seen: str = ""
    waited: int = 0
    away: bool = False


def compose(text: str, screen: Screen, progress: Any, ways: ComposerProfile) -> Steps | None:
    """The next steps of a message. None: the composer does not do as expected."""
    text, done = text.strip(), progress or Composed()
    draft = ways.read(screen)
    if done.enters:
        return _after_enter(text, draft, done, ways)
    if draft is None:
        return Steps(progress=done)
    if _mine(draft, text, done, ways):
        return _sent(draft, done, ways)
    lost = done.placed and done.waited >= _LOST_AFTER and done.placed < ways.tries
    if draft.text or not draft.idle or (done.placed and not lost):
        return _wait(draft, done)
    # The core would not know a paste that is folded out of sight: it is read back here.
    placed = Composed(done.placed + 1, seen=draft.text)
    return Steps(_placing(text, ways), progress=placed, spans=True)


def _mine(draft: Draft, text: str, done: Composed, ways: ComposerProfile) -> bool:
    folded = done.placed > 0 and ways.folded(draft.text.strip(), text)
    return folded or holds(draft.text, text)


def _placing(text: str, ways: ComposerProfile) -> tuple[Step, ...]:
    words = text.split()
    closed = f"{text} " if words and words[-1].startswith(ways.completed) else text
    whole = f" {closed}" if text.startswith(ways.led) else closed
    settle = pause(ways.after_text)
    typed = len(text) <= ways.typed and text.isprintable()
    if typed and not any(sign in text for sign in ways.pasted):
        return (Type(whole), *settle)
    size = ways.piece or len(whole)
    pieces = (whole[at : at + size] for at in range(0, len(whole), size))
    return tuple(step for piece in pieces for step in (Paste(piece), *settle))


def _sent(draft: Draft, done: Composed, ways: ComposerProfile) -> Steps:
    """Enter; where the text was placed twice, only when nothing more of it comes."""
    waited = done.waited + 1 if draft.text == done.seen else 0
    if done.placed > 1 and waited < _STILL_FOR:
        stands = replace(done, seen=draft.text, waited=waited)
        return Steps((Pause(_STILL_MOMENT),), progress=stands, spans=True)
    keys = (*pause(ways.before_enter), Press("Enter", deciding=True))
    if ways.lost_after is None:
        return Steps(keys, done=True)
    pressed = Composed(done.placed, done.enters + 1, draft.text)
    return Steps(keys, progress=pressed, spans=True)


def _after_enter(text: str, draft: Draft | None, done: Composed, ways: ComposerProfile) -> Steps:
    """Whether the text left; a composer that is not ours any more is left alone.

    It has left when two looks do not find it: a CLI that lost the Enter may paint itself anew.
    """
    placed = replace(done, placed=1)
    mine = draft if draft and draft.text and _mine(draft, text, placed, ways) else None
    if done.waited >= _PATIENCE or (done.away and mine is None):
        return Steps(done=True)
    if mine and done.enters < _ENTERS and ways.lost(mine, done.waited):
        return _sent(mine, placed, ways)
    waits = replace(done, waited=done.waited + 1, away=mine is None)
    return Steps((Pause(_MOMENT),), progress=waits, spans=True)


def _wait(draft: Draft, done: Composed) -> Steps | None:
    """Another look: while the draft still changes, the text is on its way."""
    changed = done.placed > 0 and draft.text != done.seen
    if done.waited >= _PATIENCE and not changed:
        return None
    waits = replace(done, seen=draft.text, waited=0 if changed else done.waited + 1)
    return Steps(pause(_MOMENT if done.placed else 0), progress=waits, spans=done.placed > 0)
