"""What the CLI does now: by the title, the line above the composer, and what stands last."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_codex.info import DEFAULT, PLAN
from clawtap_codex.screen.composer import Composer, find_composer
from clawtap_codex.screen.prompt import parse_prompt
from clawtap_codex.text import mode_from_label
from clawtap_core import Previous, Screen, SeenState, SessionState, hookimpl

_SPINNER_TITLE = re.compile(r"[\u2801-\u28ff] ")
_ACTION_TITLE = re.compile(r"\[ [!.] \] ")
_WORKING = re.compile(r"[•◦] (?P<words>.*?) ?\((?:\d+h ?)?(?:\d+m ?)?\d+s • \S+ to interrupt\).*")
_QUEUED = re.compile(r"• (?:Messages to be submitted|Queued follow-up)")
_ENTRY = re.compile(r"[•◦] ")
_WORKED_FOR = re.compile(r"  Worked for ")
_NEW_STATUS = re.compile(r"for shortcuts|for agents|f2 to view")
_UPDATED = re.compile(r"• Permission(?:s updated to| selection requested:) (?P<name>.+)")
_GOODBYE = "To continue this session, run"
_BANNER = re.compile(r"[╭│⚠]|.*OpenAI Codex \(v|[\s⠀-⣿]+$")
_PLAIN_HEADER = "Working"
_USER = "› "
_LAST_ROWS = 8
_STREAM_GRACE = 1.5
_START_PATIENCE = 8.0


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Idle or busy by the composer and the title; without a composer a prompt, start or end."""
    if parse_prompt(screen):
        return SeenState(SessionState.WAITING, mode=previous.seen.mode if previous else None)
    if composer := find_composer(screen):
        return _state_at_composer(screen, composer, previous)
    state = _state_without_composer(screen, previous)
    return SeenState(state) if state else None


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
        or (_user_spoke_last(lines) and _was_busy(previous))
    ):
        state = SessionState.BUSY
    else:
        state = SessionState.IDLE
    busy = state is SessionState.BUSY
    return SeenState(
        state,
        draft=composer.draft,
        streaming=_last_entry(lines) if busy and streams else "",
        thinking=working["words"] if working and working["words"] != _PLAIN_HEADER else "",
        mode=_mode_shown(lines, composer, previous),
        model=composer.model,
    )


def title_works(screen: Screen) -> bool:
    """The title spins while the model works, and blinks while a prompt is about to open."""
    title = screen.title or ""
    return bool(_SPINNER_TITLE.match(title) or _ACTION_TITLE.match(title))


def working_line(lines: Sequence[str]) -> re.Match[str] | None:
    """The line with the clock: the lowest entry, unless queued messages stand below it."""
    for line in reversed(lines):
        if found := _WORKING.fullmatch(line):
            return found
        if line and not line.startswith(" ") and not _QUEUED.match(line):
            return None
    return None


def _may_be_streaming(lines: Sequence[str]) -> bool:
    """Whether the last entry may still grow: it is the model's, and nothing tells its end."""
    for line in reversed(lines):
        if _WORKED_FOR.match(line):
            return False
        if line and not line.startswith(" "):
            return bool(_ENTRY.match(line))
    # An answer longer than the screen: its beginning has left it.
    return bool(lines and lines[0].strip()) and not any(_BANNER.match(line) for line in lines)


def _is_still_streaming(screen: Screen, composer: Composer, previous: Previous | None) -> bool:
    """Whether an answer without a clock is being written.

    0.169 says when it worked to the end. 0.116 does not: there only time tells.
    """
    if previous is None:
        tells = any(_NEW_STATUS.search(row) for row in composer.status)
        return tells and screen.title is None
    return _was_busy(previous)


def _was_busy(previous: Previous | None) -> bool:
    """Whether the CLI was at work a moment ago."""
    if previous is None or previous.seen.state is not SessionState.BUSY:
        return False
    return previous.still_for < _STREAM_GRACE


def _user_spoke_last(lines: Sequence[str]) -> bool:
    """Whether the user's message stands last: its answer is about to begin."""
    last = next((line for line in reversed(lines) if line and not line.startswith(" ")), "")
    return last.startswith(_USER)


def _last_entry(lines: Sequence[str]) -> str:
    """The last entry, as far as it is on the screen."""
    rows: list[str] = []
    for line in reversed(lines):
        rows.append(line[2:])
        if _ENTRY.match(line):
            break
    return "\n".join(rows[::-1]).strip("\n")


def _is_starting(composer: Composer, previous: Previous | None) -> bool:
    """Whether the status line is only about to come: somebody may have switched it off."""
    if any(not _NEW_STATUS.search(row) for row in composer.status) or composer.draft:
        return False
    begun = previous is None or previous.seen.state is SessionState.STARTING
    return begun and (previous is None or previous.still_for < _START_PATIENCE)


def _mode_shown(lines: Sequence[str], composer: Composer, previous: Previous | None) -> str | None:
    """The plan mode, or the permissions that were chosen last; else nothing tells."""
    if composer.plans:
        return PLAN
    for line in reversed(lines):
        if found := _UPDATED.match(line):
            return mode_from_label(found["name"])
    left = previous is not None and previous.seen.mode == PLAN
    return DEFAULT if left else None


def _state_without_composer(screen: Screen, previous: Previous | None) -> SessionState | None:
    lines = [line for line in screen.lines if line.strip()]
    if any(_GOODBYE in line for line in lines[-_LAST_ROWS:]):
        return SessionState.ENDED
    begun = previous is None or previous.seen.state is SessionState.STARTING
    waits = previous is not None and previous.still_for >= _START_PATIENCE
    if begun and not waits and all(_BANNER.match(line) for line in lines[:1]):
        return SessionState.STARTING
    return None
