"""What the CLI is doing: its title, the line above the composer, and the last entry."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_codex.info import DEFAULT, PLAN
from clawtap_codex.screen.composer import HINTS, Composer, find_composer
from clawtap_codex.screen.prompt import parse_prompt
from clawtap_codex.screen.split import columns, in_front
from clawtap_codex.text import USAGE_LIMIT_TEXT, mode_from_label
from clawtap_codex.words import WORDS
from clawtap_core import Previous, Refusal, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import last_entry

_SPINNER_TITLE = re.compile(r"[\u2801-\u28ff] ")
_ACTION_TITLE = re.compile(r"\[ [!.] \] ")
_WORKING = WORDS.pattern("state.working")
_QUEUED = WORDS.pattern("state.queued")
_ENTRY = WORDS.pattern("state.entry")
_FAILURE = WORDS.pattern("state.failure")
_REFUSAL = WORDS.pattern("state.refusal")
_REFUSAL_REASON = WORDS.pattern("state.refusal_reason")
_MESSAGE = WORDS.pattern("state.message")
_FOLLOWS = WORDS.pattern("state.follows")
_WORKED_FOR = WORDS.pattern("state.worked_for")
_UPDATED = WORDS.pattern("state.updated")
_GOODBYE = WORDS.pattern("state.goodbye")
_ELSEWHERE = WORDS.pattern("state.elsewhere")
_BANNER = WORDS.pattern("state.banner")
_PAGER = WORDS.pattern("state.pager")
_PLAIN_HEADERS = WORDS.texts("state.plain_headers")
_USER = "› "
_LAST_ROWS = 8
_STREAM_GRACE = 1.5
_START_PATIENCE = 8.0


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Tell idle from busy by composer and title; without a composer it waits, starts or ended."""
    if parse_prompt(screen):
        return SeenState(SessionState.WAITING, mode=previous.seen.mode if previous else None)
    front = in_front(screen)
    if composer := find_composer(front):
        return _state_at_composer(front, composer, previous)
    if sides := columns(screen):
        return _state_of_side(sides[1], previous)
    if any(map(_PAGER.match, screen.lines[:1])):
        return SeenState(SessionState.WAITING, holds_back=True)
    state = _state_without_composer(screen, previous)
    return SeenState(state) if state else None


def _state_of_side(side: Screen, previous: Previous | None) -> SeenState | None:
    # While it rests, the main conversation may wait for an answer that is not shown.
    composer = find_composer(side)
    seen = _state_at_composer(side, composer, previous) if composer else None
    return seen if seen and seen.state is SessionState.BUSY else None


def _state_at_composer(screen: Screen, composer: Composer, previous: Previous | None) -> SeenState:
    lines = screen.lines[: composer.row]
    working = working_line(lines)
    streams = working is None and _may_be_streaming(lines)
    if not composer.ready and _is_starting(composer, previous):
        state = SessionState.STARTING
    elif (
        working
        or title_works(screen)
        or (streams and _is_still_streaming(screen, composer, previous))
        # After the user's message the model's answer comes next.
        or (_user_spoke_last(lines) and _was_busy(previous))
    ):
        state = SessionState.BUSY
    else:
        state = SessionState.IDLE
    busy = state is SessionState.BUSY
    return SeenState(
        state,
        draft=composer.draft,
        streaming=_answer_shown(lines, previous) if busy and working is None else "",
        thinking=working["words"] if working and working["words"] not in _PLAIN_HEADERS else "",
        mode=_mode_shown(lines, composer, previous),
        model=composer.model,
        limit="" if busy else _limit_shown(lines),
        refusal=None if busy else _refusal(lines),
    )


def title_works(screen: Screen) -> bool:
    """Return True if the title shows a spinner, or announces a prompt that is about to open."""
    title = screen.title or ""
    return bool(_SPINNER_TITLE.match(title) or _ACTION_TITLE.match(title))


def working_line(lines: Sequence[str]) -> re.Match[str] | None:
    """Match the line with the clock: the lowest entry above any queued messages."""
    for line in reversed(lines):
        if found := _WORKING.fullmatch(line):
            return found
        if line and not line.startswith(" ") and not _QUEUED.match(line):
            return None
    return None


def _may_be_streaming(lines: Sequence[str]) -> bool:
    # The last entry is the model's, and nothing marks its end.
    for line in reversed(lines):
        if _WORKED_FOR.match(line):
            return False
        if line and not line.startswith(" "):
            return bool(_ENTRY.match(line))
    # An answer longer than the screen: its beginning has left it, and a row between paragraphs may
    # be the first.
    return any(line.strip() for line in lines[:2]) and not any(
        _BANNER.match(line) for line in lines
    )


def _is_still_streaming(screen: Screen, composer: Composer, previous: Previous | None) -> bool:
    # 0.169 marks the end of a turn. 0.116 does not, so there only time tells.
    if previous is None:
        return composer.is_recent and screen.title is None
    return _was_busy(previous)


def _was_busy(previous: Previous | None) -> bool:
    if previous is None or previous.seen.state is not SessionState.BUSY:
        return False
    return previous.still_for < _STREAM_GRACE


def _user_spoke_last(lines: Sequence[str]) -> bool:
    last = next((line for line in reversed(lines) if line and not line.startswith(" ")), "")
    return last.startswith(_USER)


def _answer_shown(lines: Sequence[str], previous: Previous | None) -> str:
    # The rows of a long answer move up and away below the user's message.
    goes_on = previous is not None and previous.seen.streaming and _user_spoke_last(lines)
    return _last_entry(lines) if goes_on or _may_be_streaming(lines) else ""


def _last_entry(lines: Sequence[str]) -> str:
    rows: list[str] = []
    for line in reversed(lines):
        if line.startswith(_USER):
            break
        rows.append(line[2:])
        if _ENTRY.match(line):
            break
    return "\n".join(rows[::-1]).strip("\n")


def _limit_shown(lines: Sequence[str]) -> str:
    """Return the notice of a used-up limit if it is last; its rows are not indented."""
    rows: list[str] = []
    for line in reversed(lines):
        if line.startswith(_USER) or _ENTRY.match(line):
            return ""
        rows.append(line.strip())
        if mark := _FAILURE.match(line):
            rows[-1] = line[mark.end() :].strip()
            text = " ".join(filter(None, reversed(rows)))
            return text if USAGE_LIMIT_TEXT.match(text) else ""
    return ""


def _refusal(lines: Sequence[str]) -> Refusal | None:
    """Return the refusal that is last, right below its message."""
    notice = last_entry(lines, _REFUSAL.match, _FOLLOWS.match)
    message = notice and last_entry(lines[: notice.head], _MESSAGE.match, _FOLLOWS.match)
    reason = notice and _REFUSAL_REASON.match(notice.first_paragraph)
    return Refusal(reason["reason"], message.text) if message and reason else None


def _is_starting(composer: Composer, previous: Previous | None) -> bool:
    # The status line may still come; users can switch it off.
    if any(not HINTS.search(row) for row in composer.status) or composer.draft:
        return False
    begun = previous is None or previous.seen.state is SessionState.STARTING
    return begun and (previous is None or previous.still_for < _START_PATIENCE)


def _mode_shown(lines: Sequence[str], composer: Composer, previous: Previous | None) -> str | None:
    """Return the plan mode or the permissions chosen last, or None if nothing shows them."""
    if composer.plan_mode:
        return PLAN
    for line in reversed(lines):
        if found := _UPDATED.match(line):
            return mode_from_label(found["name"])
    left = previous is not None and previous.seen.mode == PLAN
    return DEFAULT if left else None


def _state_without_composer(screen: Screen, previous: Previous | None) -> SessionState | None:
    lines = [line for line in screen.lines if line.strip()]
    if any(_GOODBYE.search(line) for line in lines[-_LAST_ROWS:]):
        return SessionState.ENDED
    if any(map(_ELSEWHERE.fullmatch, lines[-2:])):
        return None
    begun = previous is None or previous.seen.state is SessionState.STARTING
    waits = previous is not None and previous.still_for >= _START_PATIENCE
    if begun and not waits and all(_BANNER.match(line) for line in lines[:1]):
        return SessionState.STARTING
    return None
