"""What the CLI is doing: the spinner above the composer, or the dialog in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_core import Previous, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import style_at
from clawtap_kimi.screen.composer import find_composer
from clawtap_kimi.screen.panel import find_panel
from clawtap_kimi.words import WORDS

_WORKING = WORDS.pattern("state.working")
_ANSWER = re.compile(r" ● (?P<text>\S.*)")
_TEXT, _INDENT = 3, "   "


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return what the CLI is doing, or None for a screen that fits nothing."""
    mode_before = previous.seen.mode if previous else None
    if find_panel(screen):
        return SeenState(SessionState.WAITING, mode=mode_before)
    composer = find_composer(screen)
    if composer is None:
        return None if any(screen.lines) else SeenState(SessionState.STARTING)
    # Messages that wait, tasks and notes may be between the spinner and the composer.
    above = range(composer.top - 1, -1, -1)
    working = next((row for row in above if _WORKING.fullmatch(screen.lines[row])), None)
    return SeenState(
        SessionState.IDLE if working is None else SessionState.BUSY,
        draft=composer.draft,
        streaming="" if working is None else _streaming(screen, working),
        mode=composer.mode,
    )


def _streaming(screen: Screen, end: int) -> str:
    """Return the answer that is last, which is neither a thought nor a call."""
    rows = screen.lines[:end]
    start = next((at for at in range(end - 1, -1, -1) if _begins(rows, at)), None)
    match = _ANSWER.fullmatch(rows[start]) if start is not None else None
    if start is None or match is None or _is_other(screen, start):
        return ""
    return "\n".join((match["text"], *(row[_TEXT:] for row in rows[start + 1 :]))).strip("\n")


def _begins(rows: Sequence[str], at: int) -> bool:
    return bool(rows[at]) and not rows[at].startswith(_INDENT)


def _is_other(screen: Screen, row: int) -> bool:
    """Return True for a call, whose headline is bold, and a thought, which is slanted or grey."""
    style = style_at(screen, row, _TEXT)
    return style is not None and (style.bold or style.italic or style.dim)
