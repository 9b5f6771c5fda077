"""Type a message: into an empty composer, read back, Enter, and checked to have left.

It is placed exactly once and never over a draft typed at the desk; Enter is pressed again only
where a later key proves that the first was lost. A text that arrives damaged is removed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.keystrokes.composer_profile import ComposerProfile, Draft
from clawtap_core.keystrokes.key_profile import KeyProfile, pause
from clawtap_core.keystrokes.text_field import empty, holds
from clawtap_core.model import Paste, Pause, Press, Screen, Steps, Type
from clawtap_core.prompts.sanitize import is_command
from clawtap_core.screens import drawn, drawn_plainly

# How often the screen is read, _MOMENT seconds apart, while the draft stays the same; any change
# restarts the count.
_MOMENT = 0.1
_LOST_AFTER = 3  # until a text that does not show counts as lost
_PATIENCE = 8  # until waiting is given up
_PROBED_FOR = 24  # for a text that still stands after Enter: a busy CLI reads a probe late
_ERASED_AFTER = 2  # between erasing twice
# A text that was placed twice may still arrive twice: it is sent once it has stood still.
_STILL_FOR, _STILL_MOMENT = 2, 0.4
# How often a key is pressed before the composer counts as misbehaving.
_ENTERS = 4
_ERASURES = 30  # of up to 60 characters each, see text_field.py
_INSERTS = 5
# `i` may be painted late, but a second one would be text.
_INSERT_LOOKS, _INSERT_MOMENT = 15, 0.2
# A longer text takes too long in pieces: it is pasted whole, though the CLI may quote it then.
_ROUNDS, _PIECES = 30, 150
_BLANKS = re.compile(r"(\s+)")
_WORD = re.compile(r"\S+[^\S\n]*\n?|[^\S\n]+\n?|\n")


@dataclass(frozen=True)
class ComposeProgress:
    """How often the text was placed and Enter pressed, and for how long without effect.

    `rounds` of the text's pieces were placed so far; `seen` is the last draft, `waited` for how
    many looks it has been the same; `away`: the entered text was missing at the last look.
    `erased` counts attempts to remove the text, and `erasing` is True once the last one shows;
    `repainted`: the screen was repainted after Enter.
    `inserting`: looks since `i` was pressed. `at_start`: where the cursor stood when Enter was
    pressed; `moved`: it stood elsewhere at the last look.
    """

    placed: int = 0
    enters: int = 0
    seen: str = ""
    waited: int = 0
    away: bool = False
    erased: int = 0
    erasing: bool = False
    repainted: bool = False
    rounds: int = 0
    inserting: int = 0
    at_start: bool | None = None
    moved: bool = False


def compose(text: str, screen: Screen, progress: Any, profile: ComposerProfile) -> Steps | None:
    """Return the next steps of a message, or None if the composer misbehaves."""
    text = text.strip()
    if progress is None and profile.exits and profile.exits.fullmatch(text):
        return None
    progress = progress or ComposeProgress()
    draft = profile.read(screen)
    if not text:
        return _take_out(draft, progress)
    if progress.enters:
        if profile.asks(screen):
            return Steps(done=True)  # only a message that left can lead to a prompt
        return _after_enter(text, draft, progress, profile)
    if draft is None:
        return Steps(progress=progress)
    if progress.erased:
        return _erase(draft, progress)
    rounds = _rounds(text, draft, profile)
    # A text of equal lines looks the same before the last piece has arrived.
    if progress.placed and len(rounds) > 1 and draft.look == progress.seen:
        return _wait(draft, progress)
    if progress.placed and progress.rounds < len(rounds):
        if holds(draft.text, "".join(map("".join, rounds[: progress.rounds]))):
            seen = replace(progress, seen=draft.look, waited=0)
            return _place(rounds[progress.rounds], draft, seen, profile)
        return _wait(draft, progress)
    if _mine(draft, text, progress, profile):
        if not profile.enter_sends(screen, text):
            return _wait(draft, progress)
        sent = _sent(draft, progress, profile)
        # What stands for a text is no part of it, and would be taken for somebody else's draft.
        return replace(sent, spans=sent.spans or profile.folded(draft.text.strip(), text))
    lost = progress.placed and progress.waited >= _LOST_AFTER and progress.placed < profile.tries
    if draft.text or not draft.idle or (progress.placed and not lost):
        return _wait(draft, progress)
    if draft.commands:
        # A second `i` would be text if the first is only painted late.
        if progress.inserting > _INSERT_LOOKS:
            return None
        insert = Pause(_INSERT_MOMENT) if progress.inserting else Press("i")
        return Steps((insert,), progress=replace(progress, inserting=progress.inserting + 1))
    placed = ComposeProgress(progress.placed + 1, seen=draft.look)
    return _place(rounds[0], draft, placed, profile)


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
    if not draft.text or not holds(draft.text, text):
        return False
    return not profile.shows_tabs or _has_tabs(draft.text, text)


def _has_tabs(shown: str, text: str) -> bool:
    """Return True if blanks are shown wherever the text has a tab.

    A CLI that has just started may take the tabs of a paste for keys, and drop them.
    """
    if not drawn_plainly(text):
        return True
    # Counted from the end: of a long draft only that is visible.
    blanks, visible = _letters_after(shown, ""), len(drawn(shown))
    return all(count in blanks for count in _letters_after(text, "\t") if count < visible)


def _letters_after(text: str, blank: str) -> set[int]:
    """Return how many characters follow each run of blanks that holds `blank`."""
    words = _BLANKS.split(text)
    left, counts = len(drawn(text)), set()
    for word, run in zip(words[::2], words[1::2], strict=False):
        left -= len(drawn(word))
        if blank in run:
            counts.add(left)
    return counts


def _place(
    pieces: Sequence[str], draft: Draft, progress: ComposeProgress, profile: ComposerProfile
) -> Steps:
    """Type a short text; paste a longer one in rounds, each read back before the next."""
    settle = pause(profile.after_text)
    # Of a CLI that is busy with what it has just painted, the next piece replaces that.
    lead = pause(profile.before_piece) if progress.rounds and draft.room is not None else ()
    placed = replace(progress, rounds=progress.rounds + 1)
    text = "".join(pieces)
    typed = len(text) <= profile.typed and text.isprintable()
    if typed and not any(sign in text for sign in profile.pasted):
        return Steps((*lead, Type(text), *settle), progress=placed, spans=True)
    between = () if profile.takes_together(draft) else settle
    pasted = tuple(step for piece in pieces[:-1] for step in (Paste(piece), *between))
    return Steps((*lead, *pasted, Paste(pieces[-1]), *settle), progress=placed, spans=True)


def _rounds(text: str, draft: Draft, profile: ComposerProfile) -> list[list[str]]:
    """Cut a text into pieces to paste one by one, in rounds that are read back."""
    words = text.split()
    opens_list = bool(words) and words[-1].startswith(profile.completed)
    closed = f"{text} " if opens_list or text.endswith(profile.continued) else text
    whole = f" {closed}" if profile.leads(text) else closed
    # What cannot be seen whole cannot be read back piece by piece.
    if profile.unquoted and draft.has_room_for(whole):
        together = profile.together if profile.takes_together(draft) else (0, 0)
        pieces = _short_pieces(whole, *profile.unquoted)
        rounds = _grouped(pieces, *together)
        if len(rounds) <= _ROUNDS and len(pieces) <= _PIECES:
            return rounds
    size = profile.piece or len(whole)
    return [[whole[at : at + size] for at in range(0, len(whole), size)]]


def _grouped(pieces: Sequence[str], breaks: int, size: int) -> list[list[str]]:
    """Group pieces; each group has something that can be read back, so blanks go with words."""
    groups: list[list[str]] = [[]]
    for piece in pieces:
        held = "".join(groups[-1])
        full = held.count("\n") + piece.count("\n") > breaks or len(held + piece) > size
        if full and drawn(held):
            groups.append([])
        groups[-1].append(piece)
    return groups


def _short_pieces(text: str, breaks: int, size: int) -> list[str]:
    """Cut a text after line breaks, and long lines at blanks where they have any."""
    pieces = [""]
    for word in _WORD.findall(text):
        last = pieces[-1]
        if last and (last.count("\n") + word.count("\n") > breaks or len(last + word) > size):
            pieces.append("")
        pieces[-1] += word
    return [piece[at : at + size] for piece in pieces for at in range(0, len(piece), size)]


def _sent(draft: Draft, progress: ComposeProgress, profile: ComposerProfile) -> Steps:
    """Press Enter; if the text was placed twice, only once it stands still."""
    waited = progress.waited + 1 if draft.look == progress.seen else 0
    if progress.placed > 1 and waited < _STILL_FOR:
        stands = replace(progress, seen=draft.look, waited=waited)
        return Steps((Pause(_STILL_MOMENT),), progress=stands, spans=True)
    keys = (*pause(profile.before_enter), Press("Enter", deciding=True))
    if profile.probes is None:
        return Steps(keys, done=True)
    pressed = ComposeProgress(
        progress.placed, progress.enters + 1, draft.look, at_start=draft.at_start
    )
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
    # A screen without a composer proves nothing: a CLI that resumes a conversation clears it, and
    # paints it for seconds on a busy machine. Two looks must see a composer without the text.
    away = draft is not None and mine is None
    # A command may have opened a list there, which stays until somebody closes it.
    opened_list = draft is None and is_command(text) and progress.waited >= _LOST_AFTER
    if mine and mine.returned:
        return Steps(done=True)
    patience = _PATIENCE if away else _PROBED_FOR
    if opened_list or progress.waited >= patience or (progress.away and away):
        return Steps(done=True)
    waits = replace(progress, waited=progress.waited + 1, away=away, moved=False)
    if mine and mine.idle and progress.enters < _ENTERS:
        return _after_lost_enter(mine, placed, waits, profile)
    return Steps((Pause(_MOMENT),), progress=waits, spans=True)


def _after_lost_enter(
    draft: Draft, placed: ComposeProgress, waits: ComposeProgress, profile: ComposerProfile
) -> Steps:
    """Find out whether the Enter was lost or has not been read yet; if it was, press it again.

    Waiting proves nothing: a busy machine may delay a CLI for seconds, and it then sends the text
    once for each Enter. But a CLI takes keys in order. If it shows what a later key does, and the
    text still stands, it has taken the Enter and did not send the text.
    """
    visible = None not in (draft.at_start, waits.at_start)
    moved = visible and draft.at_start != waits.at_start
    # A cursor may be caught on its way while the screen is painted.
    if moved and placed.moved:
        return _sent(draft, placed, profile)
    waits = replace(waits, moved=moved)
    if profile.probes and visible and not moved and waits.waited % _LOST_AFTER == 0:
        return Steps((Press(profile.probes[bool(waits.at_start)]),), progress=waits, spans=True)
    return Steps((Pause(_MOMENT),), progress=waits, spans=True)


def _wait(draft: Draft, progress: ComposeProgress) -> Steps | None:
    """Look again: while the draft still changes, the text is on its way."""
    changed = progress.placed > 0 and draft.look != progress.seen
    if progress.waited >= _PATIENCE and not changed:
        return _erase(draft, progress) if progress.placed else None
    waits = replace(progress, seen=draft.look, waited=0 if changed else progress.waited + 1)
    return Steps(
        pause(_MOMENT if progress.placed else 0), progress=waits, spans=progress.placed > 0
    )


def _look_again(progress: ComposeProgress) -> Steps:
    return Steps((Pause(_MOMENT),), progress=progress, spans=True)


def _erase(draft: Draft, progress: ComposeProgress) -> Steps | None:
    """Remove what was placed and cannot be sent; None when it is gone or stays."""
    # The composer was empty when the text was placed, so all of its content came from us.
    if not draft.text or progress.erased >= _ERASURES:
        return None
    looks = replace(progress, seen=draft.look, waited=progress.waited + 1)
    if progress.erased and draft.look != progress.seen:
        return _look_again(replace(looks, waited=0, erasing=True))
    # Keys that come while it still works on others may be lost.
    if progress.erasing and progress.waited < _ERASED_AFTER:
        return _look_again(looks)
    stuck = progress.erased > 0 and not progress.erasing
    if stuck and not progress.inserting and progress.waited < _PATIENCE:
        return _look_again(looks)
    erasing = replace(
        progress, erased=progress.erased + 1, seen=draft.look, waited=0, erasing=False
    )
    # In vi's command mode a Backspace only moves; elsewhere an `i` would be typed.
    if draft.commands or (draft.commands is None and stuck):
        # One that shows nothing of it does not show what it holds either.
        if progress.inserting >= _INSERTS:
            return None
        inserting = replace(erasing, inserting=progress.inserting + 1)
        return Steps((Press("i"),), progress=inserting, spans=True)
    erasing = replace(erasing, inserting=0)
    return replace(empty(draft.text, erasing, KeyProfile()), spans=True)
