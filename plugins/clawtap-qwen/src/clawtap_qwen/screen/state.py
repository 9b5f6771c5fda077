"""What the CLI is doing: the row above the composer, or what is last."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core import Previous, Refusal, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import last_answer, last_entry
from clawtap_qwen.screen.block import find_block, without_bar
from clawtap_qwen.screen.composer import Composer, find_composer
from clawtap_qwen.screen.prompt import parse_prompt
from clawtap_qwen.words import WORDS

_WORKING = WORDS.pattern("state.working")
_WAITS = WORDS.pattern("state.waits")
_STARTING = WORDS.pattern("state.starting")
_GOODBYE = WORDS.pattern("state.goodbye")
_REFUSAL = WORDS.pattern("state.refusal")
_REFUSED = WORDS.pattern("state.refused")
_FOLLOWS = WORDS.pattern("state.follows")
_ANSWER = WORDS.pattern("state.answer")
_NEAR = 8
_MARGIN = "    "


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return what the CLI is doing, or None for a screen that fits nothing."""
    mode = previous.seen.mode if previous else None
    if composer := find_composer(screen):
        return _with_composer(screen, composer, previous)
    block, parsed = find_block(screen), parse_prompt(screen)
    if block or parsed:
        # Somebody at the desk scrolled up: the CLI still says that it waits.
        scrolled = parsed is None and block is not None and not block.options
        return SeenState(SessionState.WAITING, mode=mode, holds_back=scrolled)
    if _GOODBYE.search(screen.text):
        return SeenState(SessionState.ENDED)
    last = next((line for line in reversed(screen.lines) if line), "")
    if _WAITS.search(last):
        return None  # a command that draws may have broken the dialog
    return SeenState(SessionState.STARTING) if not last or _STARTING.match(last) else None


def _with_composer(screen: Screen, composer: Composer, previous: Previous | None) -> SeenState:
    lines = screen.lines
    near = range(composer.rule - 1, max(-1, composer.rule - _NEAR), -1)
    working = next((row for row in near if _WORKING.match(lines[row])), None)
    state = SessionState.IDLE
    if working is not None:
        state = SessionState.BUSY
    elif _STARTING.search(composer.footer):
        state = SessionState.STARTING
    return SeenState(
        state,
        draft=composer.draft,
        streaming="" if working is None else _streaming(without_bar(screen)[:working], previous),
        mode=composer.mode,
        model=composer.model,
        refusal=_refusal(lines[: composer.rule]) if state is SessionState.IDLE else None,
    )


def _refusal(lines: Sequence[str]) -> Refusal | None:
    """Return the refusal that is last; its notice names the message."""
    notice = last_entry(lines, _REFUSAL.match, _FOLLOWS.match)
    message = notice and last_entry(notice.rows, _REFUSED.match, _FOLLOWS.match, "")
    return Refusal(notice.first_paragraph, message.text) if notice and message else None


def _streaming(rows: Sequence[str], previous: Previous | None) -> str:
    """Return the visible rows of the answer that is last."""
    answer = last_answer(rows, _ANSWER.fullmatch, _MARGIN, previous)
    return answer.text if answer else ""
