"""What the CLI is doing: its composer, and the footer that says that it works."""

from __future__ import annotations

import re

from clawtap_copilot.screen.composer import Composer, find_composer
from clawtap_copilot.screen.prompt import parse_prompt
from clawtap_copilot.words import WORDS
from clawtap_core import Previous, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import cells, last_answer

_BUSY = WORDS.pattern("composer.busy")
_LEFT_RUNNING = WORDS.pattern("composer.left_running")
_STARTS = WORDS.pattern("state.starts")
_BAR = WORDS.pattern("form.bar")
_GOODBYE = WORDS.pattern("state.goodbye")
_OTHER_TAB = WORDS.pattern("state.other_tab")
_ANSWER = re.compile(r" ?● (?P<text>\S.*)")
_MARGIN = "  "
_WORD = re.compile(r"\w")
_SCROLLBAR = re.compile(r" +[┃│]?$")


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return what the CLI is doing, or None for a screen that fits nothing."""
    mode_before = previous.seen.mode if previous else None
    if parse_prompt(screen):
        return SeenState(SessionState.WAITING, mode=mode_before)
    if composer := find_composer(screen):
        works = _BUSY.search(composer.footer) is not None
        busy = works and not _LEFT_RUNNING.search(composer.footer)
        return SeenState(
            SessionState.BUSY if busy else SessionState.IDLE,
            draft=composer.draft,
            streaming=_streaming(screen, composer, previous) if busy else "",
            mode=composer.mode or mode_before,
        )
    if _GOODBYE.search(screen.text):
        return SeenState(SessionState.ENDED)
    if _is_scrolled(screen) or any(map(_OTHER_TAB.fullmatch, screen.lines[:1])):
        return SeenState(SessionState.WAITING, mode=mode_before, holds_back=True)
    return SeenState(SessionState.STARTING) if _starts(screen) else None


def _is_scrolled(screen: Screen) -> bool:
    """Return True for a conversation whose end is out of sight.

    The composer always stands below it; a prompt is a part of it.
    """
    thumb = any(row.endswith("┃") and cells(row) == screen.cols for row in screen.lines)
    return thumb and any(map(_BAR.fullmatch, screen.lines[:1]))


def _starts(screen: Screen) -> bool:
    """Return True for a screen without words but those that the CLI begins with."""
    return all(_STARTS.fullmatch(row) or not _WORD.search(row) for row in screen.lines)


def _streaming(screen: Screen, composer: Composer, previous: Previous | None) -> str:
    """Return the visible rows of the answer at the end of the conversation.

    The CLI's tabs are above the conversation, and the folder's row is below it.
    """
    rows = [_SCROLLBAR.sub("", line) for line in screen.lines[: max(composer.top - 1, 0)]]
    first = next((at for at, row in enumerate(rows) if not row), 0)
    answer = last_answer(rows[first:], _ANSWER.fullmatch, _MARGIN, previous)
    if answer is None or (answer.head is not None and _is_call(screen, first + answer.head)):
        return ""
    return answer.text


def _is_call(screen: Screen, row: int) -> bool:
    """Return True for a tool call: its name is bold together with the blank after it."""
    bold = next((span.text for span in screen.spans(row) if span.style.bold), "")
    return bold != bold.rstrip() and not bold.isspace()
