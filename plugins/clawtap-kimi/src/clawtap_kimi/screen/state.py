"""What the CLI is doing: the spinner above the composer, or the dialog in its place."""

from __future__ import annotations

import re

from clawtap_core import Previous, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import last_answer
from clawtap_kimi.screen.composer import find_composer
from clawtap_kimi.screen.panel import find_panel
from clawtap_kimi.words import WORDS

_WORKING = WORDS.pattern("state.working")
_ANSWER = re.compile(r" ● (?P<text>\S.*)")
_MARGIN = "   "


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
        streaming="" if working is None else _streaming(screen, working, previous),
        mode=composer.mode,
    )


def _streaming(screen: Screen, end: int, previous: Previous | None) -> str:
    """Return the visible rows of the answer that is last, which is neither a thought nor a call."""
    answer = last_answer(screen.lines[:end], _ANSWER.fullmatch, _MARGIN, previous)
    if answer is None or (answer.head is not None and _is_other(screen, answer.head)):
        return ""
    return answer.text


def _is_other(screen: Screen, row: int) -> bool:
    """Return True for a call, whose name is bold in a colour of its own, and for a thought."""
    mark, *words = [span.style for span in screen.spans(row) if span.text.strip()]
    words = words or [mark]  # without colours, mark and text look the same
    plain = {None, mark.fg} if mark.fg else set()
    named = any(style.bold and style.fg not in plain for style in words)
    return named or words[0].italic or words[0].dim
