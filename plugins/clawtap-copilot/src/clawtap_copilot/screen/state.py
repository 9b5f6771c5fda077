"""What the CLI is doing: its composer, and the footer that says that it works."""

from __future__ import annotations

import re

from clawtap_copilot.screen.composer import Composer, find_composer
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_copilot.words import WORDS
from clawtap_core import Previous, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import style_at

_BUSY = WORDS.pattern("composer.busy")
_STARTS = WORDS.pattern("state.starts")
_GOODBYE = WORDS.pattern("state.goodbye")
_ANSWER = re.compile(r" ?● (?P<text>\S.*)")
_WORD = re.compile(r"\w")
_SCROLLBAR = re.compile(r" +[┃│]?$")


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return what the CLI is doing, or None for a screen that fits nothing."""
    mode_before = previous.seen.mode if previous else None
    if parse_prompt(screen):
        return SeenState(SessionState.WAITING, mode=mode_before)
    if composer := find_composer(screen):
        busy = _BUSY.search(composer.footer) is not None
        return SeenState(
            SessionState.BUSY if busy else SessionState.IDLE,
            draft=composer.draft,
            streaming=_streaming(screen, composer) if busy else "",
            mode=composer.mode or mode_before,
        )
    if _GOODBYE.search(screen.text):
        return SeenState(SessionState.ENDED)
    return SeenState(SessionState.STARTING) if _starts(screen) else None


def _starts(screen: Screen) -> bool:
    """Return True for a screen without words but those that the CLI begins with."""
    return all(_STARTS.fullmatch(row) or not _WORD.search(row) for row in screen.lines)


def _streaming(screen: Screen, composer: Composer) -> str:
    """Return the answer at the end of the conversation, which is above the folder's row."""
    rows = [_SCROLLBAR.sub("", line) for line in screen.lines[: max(composer.top - 1, 0)]]
    while rows and not rows[-1].strip():
        rows.pop()
    start = next((at for at in range(len(rows) - 1, -1, -1) if _begins(rows[at])), None)
    match = _ANSWER.fullmatch(rows[start]) if start is not None else None
    if start is None or match is None or _is_call(screen, start, match.start("text")):
        return ""
    return "\n".join([match["text"], *(row.strip() for row in rows[start + 1 :])])


def _begins(row: str) -> bool:
    return bool(row.strip()) and not row.startswith("  ")


def _is_call(screen: Screen, row: int, column: int) -> bool:
    """Return True for a tool call, whose name is bold."""
    style = style_at(screen, row, column)
    return style is not None and style.bold
