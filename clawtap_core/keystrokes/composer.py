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
class ComposeProgress:
    """How often the text was placed and Enter pressed; how long nothing came of it.

    `seen` is the draft at the last look, `waited` for how many looks it has been the same; `away`
    says that the text, once entered, was not to be seen at the last look.
    """

    placed: int = 0
    enters: int = 0
    seen: str = ""
    waited: int = 0
    away: bool = False


def compose(text: str, screen: Screen, progress: Any, profile: ComposerProfile) -> Steps | None:
    """The next steps of a message. None: the composer does not do as expected."""
    text, progress = text.strip(), progress or ComposeProgress()
    draft = profile.read(screen)
    if progress.enters:
        return _after_enter(text, draft, progress, profile)
    if draft is None:
        return Steps(progress=progress)
    if _mine(draft, text, progress, profile):
        return _sent(draft, progress, profile)
    lost = progress.placed and progress.waited >= _LOST_AFTER and progress.placed < profile.tries
    if draft.text or not draft.idle or (progress.placed and not lost):
        return _wait(draft, progress)
    # The core would not know a paste that is folded out of sight: it is read back here.
    placed = ComposeProgress(progress.placed + 1, seen=draft.text)
    return Steps(_placing(text, profile), progress=placed, spans=True)


def _mine(draft: Draft, text: str, progress: ComposeProgress, profile: ComposerProfile) -> bool:
    folded = progress.placed > 0 and profile.folded(draft.text.strip(), text)
    return folded or holds(draft.text, text)


def _placing(text: str, profile: ComposerProfile) -> tuple[Step, ...]:
    words = text.split()
    closed = f"{text} " if words and words[-1].startswith(profile.completed) else text
    whole = f" {closed}" if text.startswith(profile.led) else closed
    settle = pause(profile.after_text)
    typed = len(text) <= profile.typed and text.isprintable()
    if typed and not any(sign in text for sign in profile.pasted):
        return (Type(whole), *settle)
    size = profile.piece or len(whole)
    pieces = (whole[at : at + size] for at in range(0, len(whole), size))
    return tuple(step for piece in pieces for step in (Paste(piece), *settle))


def _sent(draft: Draft, progress: ComposeProgress, profile: ComposerProfile) -> Steps:
    """Enter; where the text was placed twice, only when nothing more of it comes."""
    waited = progress.waited + 1 if draft.text == progress.seen else 0
    if progress.placed > 1 and waited < _STILL_FOR:
        stands = replace(progress, seen=draft.text, waited=waited)
        return Steps((Pause(_STILL_MOMENT),), progress=stands, spans=True)
    keys = (*pause(profile.before_enter), Press("Enter", deciding=True))
    if profile.lost_after is None:
        return Steps(keys, done=True)
    pressed = ComposeProgress(progress.placed, progress.enters + 1, draft.text)
    return Steps(keys, progress=pressed, spans=True)


def _after_enter(
    text: str, draft: Draft | None, progress: ComposeProgress, profile: ComposerProfile
) -> Steps:
    """Whether the text left; a composer that is not ours any more is left alone.

    It has left when two looks do not find it: a CLI that lost the Enter may paint itself anew.
    """
    placed = replace(progress, placed=1)
    mine = draft if draft and draft.text and _mine(draft, text, placed, profile) else None
    if progress.waited >= _PATIENCE or (progress.away and mine is None):
        return Steps(done=True)
    if mine and progress.enters < _ENTERS and profile.lost(mine, progress.waited):
        return _sent(mine, placed, profile)
    waits = replace(progress, waited=progress.waited + 1, away=mine is None)
    return Steps((Pause(_MOMENT),), progress=waits, spans=True)


def _wait(draft: Draft, progress: ComposeProgress) -> Steps | None:
    """Another look: while the draft still changes, the text is on its way."""
    changed = progress.placed > 0 and draft.text != progress.seen
    if progress.waited >= _PATIENCE and not changed:
        return None
    waits = replace(progress, seen=draft.text, waited=0 if changed else progress.waited + 1)
    return Steps(
        pause(_MOMENT if progress.placed else 0), progress=waits, spans=progress.placed > 0
    )
