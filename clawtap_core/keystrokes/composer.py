"""Type a message: into an empty composer, read back, Enter, and checked to have left.

It is placed exactly once and never over a draft typed at the desk; Enter is pressed again only
where facts of the CLI prove that the first was lost. A text that arrives damaged is removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.keystrokes.key_profile import KeyProfile, pause
from clawtap_core.keystrokes.text_field import empty, holds
from clawtap_core.model import Paste, Pause, Press, Screen, Step, Steps, Type
from clawtap_core.screens import drawn, drawn_plainly

_PATIENCE, _MOMENT = 8, 0.1
_LOST_AFTER = 3
_STILL_FOR, _STILL_MOMENT = 2, 0.4
_ENTERS = 4
_ERASURES = 30
_BLOCKS = 20
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class Draft:
    """What a composer shows.

    `idle`: the CLI takes messages; `broken`: the draft ends with an empty new line; `commands`:
    keys are vi commands until `i` is pressed (None: the screen does not show it).
    """

    text: str
    idle: bool = True
    broken: bool = False
    commands: bool | None = False


def _never(*_: Any) -> bool:
    return False


@dataclass(frozen=True)
class ComposerProfile:
    """How one CLI takes messages.

    `read` returns the composer, or None without one or behind a prompt. Up to `typed` characters
    go in as keys unless the text holds one of `pasted`; the rest is pasted in pieces of `piece`
    characters. `quotes_from`: a paste of this many lines or characters reaches the model as a
    quotation, so the text is pasted in shorter pieces.

    A text that begins with one of `led` gets a leading blank. One whose last word begins with one
    of `completed` gets a trailing blank, since an open list takes the Enter, as does one that ends
    with one of `continued`, which would make Enter a line break. `folded` returns True if a draft
    stands for a text that is out of sight.

    `tries`: how often to place a text of which nothing arrives. `lost_after`: after this many
    looks a draft in an idle composer proves that the Enter was lost, a broken one at once; None
    presses Enter only once. `repaint` is the key that repaints the screen, which wide text may
    leave in disorder.
    """

    read: Callable[[Screen], Draft | None]
    after_text: float = 0.2
    before_enter: float = 0.0
    typed: int = 400
    pasted: tuple[str, ...] = ()
    piece: int | None = None
    quotes_from: tuple[int, int] | None = None
    led: tuple[str, ...] = ()
    completed: tuple[str, ...] = ("@",)
    continued: tuple[str, ...] = ()
    repaint: str | None = None
    folded: Callable[[str, str], bool] = _never
    tries: int = 1
    lost_after: int | None = None

    def lost(self, draft: Draft, looks: int) -> bool:
        """Return True if the Enter was lost: the draft has stood for this many looks since."""
        if self.lost_after is None:
            return False
        return draft.broken or (draft.idle and looks >= self.lost_after)


@dataclass(frozen=True)
class ComposeProgress:
    """How often the text was placed and Enter pressed, and how long nothing came of it.

    `seen` is the last draft, `waited` for how many looks it has been the same; `away`: the entered
    text was missing at the last look. `erased` counts attempts to remove the text; `repainted`:
    the screen was repainted after Enter.
    """

    placed: int = 0
    enters: int = 0
    seen: str = ""
    waited: int = 0
    away: bool = False
    erased: int = 0
    repainted: bool = False


def compose(text: str, screen: Screen, progress: Any, profile: ComposerProfile) -> Steps | None:
    """Return the next steps of a message, or None if the composer misbehaves."""
    text, progress = text.strip(), progress or ComposeProgress()
    draft = profile.read(screen)
    if not text:
        return _take_out(draft, progress)
    if progress.enters:
        return _after_enter(text, draft, progress, profile)
    if draft is None:
        return Steps(progress=progress)
    if progress.erased:
        return _erase(draft, progress)
    if _mine(draft, text, progress, profile):
        return _sent(draft, progress, profile)
    lost = progress.placed and progress.waited >= _LOST_AFTER and progress.placed < profile.tries
    if draft.text or not draft.idle or (progress.placed and not lost):
        return _wait(draft, progress)
    if draft.commands:
        return Steps((Press("i"),), progress=progress)
    # The core would not recognise a folded paste, so it is read back here (`spans`).
    placed = ComposeProgress(progress.placed + 1, seen=draft.text)
    return Steps(_placing(text, profile), progress=placed, spans=True)


def _take_out(draft: Draft | None, progress: ComposeProgress) -> Steps | None:
    """Empty a composer that holds our message, or return None if that fails."""
    if draft is None:
        return Steps(progress=progress)
    if not draft.text:
        return Steps(done=True)
    return _erase(draft, progress)


def _mine(draft: Draft, text: str, progress: ComposeProgress, profile: ComposerProfile) -> bool:
    if progress.placed and (profile.folded(draft.text.strip(), text) or not drawn(text)):
        return True
    return bool(draft.text) and holds(draft.text, text)


def _placing(text: str, profile: ComposerProfile) -> tuple[Step, ...]:
    words = text.split()
    opens_list = bool(words) and words[-1].startswith(profile.completed)
    closed = f"{text} " if opens_list or text.endswith(profile.continued) else text
    whole = f" {closed}" if text.startswith(profile.led) else closed
    settle = pause(profile.after_text)
    typed = len(text) <= profile.typed and text.isprintable()
    if typed and not any(sign in text for sign in profile.pasted):
        return (Type(whole), *settle)
    return tuple(step for piece in _pieces(whole, profile) for step in (Paste(piece), *settle))


def _pieces(text: str, profile: ComposerProfile) -> list[str]:
    if profile.quotes_from:
        count, size = profile.quotes_from
        lines = _LINE.findall(text)
        blocks = ["".join(lines[at : at + count - 1]) for at in range(0, len(lines), count - 1)]
        if len(blocks) <= _BLOCKS and all(len(block) < size for block in blocks):
            return blocks
    size = profile.piece or len(text)
    return [text[at : at + size] for at in range(0, len(text), size)]


def _sent(draft: Draft, progress: ComposeProgress, profile: ComposerProfile) -> Steps:
    """Press Enter; if the text was placed twice, only once it stands still."""
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
    """Check that the text left, and leave a composer alone that is no longer ours."""
    placed = replace(progress, placed=1)
    mine = draft if draft and draft.text and _mine(draft, text, placed, profile) else None
    disordered = mine is None and draft is not None and bool(draft.text)
    if disordered and profile.repaint and not (progress.repainted or drawn_plainly(text)):
        repainted = replace(progress, repainted=True)
        return Steps((Press(profile.repaint), Pause(_STILL_MOMENT)), progress=repainted, spans=True)
    # Two looks must miss the text: a CLI that lost the Enter may be repainting.
    if progress.waited >= _PATIENCE or (progress.away and mine is None):
        return Steps(done=True)
    if mine and progress.enters < _ENTERS and profile.lost(mine, progress.waited):
        return _sent(mine, placed, profile)
    waits = replace(progress, waited=progress.waited + 1, away=mine is None)
    return Steps((Pause(_MOMENT),), progress=waits, spans=True)


def _wait(draft: Draft, progress: ComposeProgress) -> Steps | None:
    """Look again: while the draft still changes, the text is on its way."""
    changed = progress.placed > 0 and draft.text != progress.seen
    if progress.waited >= _PATIENCE and not changed:
        return _erase(draft, progress) if progress.placed else None
    waits = replace(progress, seen=draft.text, waited=0 if changed else progress.waited + 1)
    return Steps(
        pause(_MOMENT if progress.placed else 0), progress=waits, spans=progress.placed > 0
    )


def _erase(draft: Draft, progress: ComposeProgress) -> Steps | None:
    """Remove what was placed and cannot be sent; None when it is gone or stays."""
    # The composer was empty when the text was placed, so all of its content came from us.
    if not draft.text or progress.erased >= _ERASURES:
        return None
    erasing = replace(progress, erased=progress.erased + 1, seen=draft.text)
    stuck = progress.erased > 0 and draft.text == progress.seen
    # In vi's command mode a Backspace only moves; elsewhere an `i` would be typed.
    if draft.commands or (draft.commands is None and stuck):
        return Steps((Press("i"),), progress=erasing, spans=True)
    return replace(empty(draft.text, erasing, KeyProfile()), spans=True)
