"""What the CLI is doing: its composer, and the footer that names the key to interrupt it."""

from __future__ import annotations

from clawtap_core import Previous, Screen, SeenState, SessionState, hookimpl
from clawtap_opencode.screen.composer import Composer, find_composer
from clawtap_opencode.screen.prompt import is_held_back, parse_prompt
from clawtap_opencode.words import WORDS

_BUSY = WORDS.pattern("state.busy")
_TURN = WORDS.pattern("state.turn")
_OTHER = WORDS.pattern("state.other")
_GOODBYE = WORDS.pattern("state.goodbye")
_MARGIN = "     "


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return what the CLI is doing, or None for a screen that fits nothing."""
    if parse_prompt(screen):
        return SeenState(SessionState.WAITING, mode=previous.seen.mode if previous else None)
    if is_held_back(screen):
        return SeenState(SessionState.WAITING, holds_back=True)
    if composer := find_composer(screen):
        busy = _BUSY.search(composer.footer) is not None
        return SeenState(
            SessionState.BUSY if busy else SessionState.IDLE,
            draft=composer.draft,
            streaming=_streaming(screen, composer) if busy else "",
            mode=composer.mode,
            model=composer.model,
        )
    if _GOODBYE.search(screen.text):
        return SeenState(SessionState.ENDED)
    if screen.text.strip():
        return None
    # It clears the screen between its start page and the conversation, too.
    return previous.seen if previous else SeenState(SessionState.STARTING)


def _streaming(screen: Screen, composer: Composer) -> str:
    """Return the visible rows of the answer, which is above the line of its turn.

    A user's message, and the output of a command, have a bar at their left, so the first row of an
    answer may have left the screen.
    """
    lines = [line[: composer.end].rstrip() for line in screen.lines[: composer.top]]
    while lines and not lines[-1]:
        lines.pop()
    if not lines or not _TURN.match(lines.pop()):
        return ""
    rows: list[str] = []
    for line in reversed(lines):
        if line and (not line.startswith(_MARGIN) or _OTHER.match(line)):
            break
        rows.append(line.removeprefix(_MARGIN))
    return "\n".join(reversed(rows)).strip("\n")
