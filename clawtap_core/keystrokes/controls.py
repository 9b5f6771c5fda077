"""Control a CLI: interrupt it, and cycle through its modes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from clawtap_core.model import Choice, Expect, Pause, Press, Screen, SeenState, SessionState, Steps
from clawtap_core.prompts.identity import squeeze

# How often the screen is read, a moment apart, until a new mode shows or an open menu is closed.
_PATIENCE, _MOMENT = 15, 0.1
# After every third of them the key counts as lost, and is pressed again, twice at the most.
_LOST_AFTER, _LOST_KEYS = 3, 2
# More modes than any CLI has: a cycle that does not close ends there.
_KEYS = 8
# How often the CLI must be seen at work, with the menu closed, before the next Escape.
_AT_WORK_AGAIN = 3


@dataclass(frozen=True)
class CycleProgress:
    """The modes passed so far, the mode at the last key, looks since then, and keys lost."""

    passed: tuple[str, ...] = ()
    last: str | None = None
    waited: int = 0
    lost: int = 0


class ShownComposer(Protocol):
    """A composer on the screen: its draft and its mode."""

    @property
    def draft(self) -> str:
        """The text that was not sent."""

    @property
    def mode(self) -> str | None:
        """The mode, by id; None where the screen does not show it."""


@dataclass(frozen=True, slots=True)
class _ClosingMenu:
    """Escape was pressed to close help or a menu; screens read since then, and since it closed."""

    waited: int = 0
    closed: int = 0


def interrupt(
    seen: SeenState | None,
    screen: Screen | None = None,
    progress: Any = None,
    *,
    again: str = "",
    covered: bool = False,
) -> Steps | None:
    """Press Escape once if the CLI is busy; an extra one does something else.

    `again`: what the screen shows while the CLI waits for a second Escape ("esc again to stop").
    `covered`: help or a menu is open, which takes the first Escape and lets the turn go on; the
    next one follows when it is seen to be gone.
    """
    closing = progress if isinstance(progress, _ClosingMenu) else None
    if seen is None or seen.state is not SessionState.BUSY:
        return Steps(done=True) if closing else None
    if covered or closing:
        if steps := _close_menu(closing, covered=covered):
            return steps
        progress = None
    if not again or (screen and squeeze(again) in squeeze(screen.text)):
        return Steps((Press("Escape", deciding=True),), done=True)
    # The first Escape is not repeated: it may only be read late.
    return None if progress else Steps((Press("Escape"), Expect(again)), progress="pressed")


def _close_menu(closing: _ClosingMenu | None, *, covered: bool) -> Steps | None:
    """Close help or a menu; None once it is closed and the CLI was seen at work."""
    if closing is None:
        # Deciding, since the turn is what it meets if the desk closes it first.
        keys = (Press("Escape", deciding=True), Pause(_MOMENT))
        return Steps(keys, progress=_ClosingMenu(), spans=True)
    if closing.closed >= _AT_WORK_AGAIN:
        return None
    if closing.waited >= _PATIENCE:
        return Steps(done=True)
    waits = _ClosingMenu(closing.waited + 1, 0 if covered else closing.closed + 1)
    return Steps((Pause(_MOMENT),), progress=waits, spans=True)


def switch_mode(
    mode: str,
    modes: Iterable[Choice],
    composer: ShownComposer | SeenState | None,
    key: str,
    progress: Any,
) -> Steps | None:
    """Press the key for the next mode; None without that mode, or with a draft in the composer.

    `modes`: those of `AdapterInfo`. `composer`: what this screen shows of draft and mode, such as
    the state that `detect_state` reads. `key`: the one for the next mode, such as "BTab".
    """
    # Without a composer there is no draft at all.
    if composer is None or composer.draft != "" or mode not in {choice.id for choice in modes}:
        return None
    return cycle(mode, composer.mode, key, progress)


def cycle(target: str, shown: str | None, key: str, progress: CycleProgress | None) -> Steps | None:
    """Press the key for the next mode; None if the target never comes."""
    progress = progress or CycleProgress()
    if shown == target:
        return Steps(done=True)
    # A mode that is not painted yet, or hidden by a note, is waited for.
    if shown is None or shown == progress.last:
        waited = progress.waited + 1
        if waited > _PATIENCE:
            return None
        if shown and progress.lost < _LOST_KEYS and waited % _LOST_AFTER == 0:
            # A CLI that starts loses a key, or does not paint the mode that it is in: wherever
            # the next key leads, the round begins there.
            return Steps(
                (Press(key),), progress=CycleProgress((), shown, waited, progress.lost + 1)
            )
        return Steps((Pause(_MOMENT),), progress=replace(progress, waited=waited))
    if shown in progress.passed or len(progress.passed) >= _KEYS:
        return None
    passed = CycleProgress((*progress.passed, shown), shown, lost=progress.lost)
    return Steps((Press(key),), progress=passed)
