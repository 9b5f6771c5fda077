"""The state of the session: read from the lines above the composer, or from what is last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from clawtap_core import Previous, PromptForm, Refusal, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import cells, last_entry
from clawtap_gemini.screen.block import SCROLLBAR
from clawtap_gemini.screen.composer import RULE, Composer, find_composer
from clawtap_gemini.screen.prompt import parse_prompt
from clawtap_gemini.words import WORDS

_SPINNER = re.compile(r" ?[\u2800-\u28ff] (?P<words>.*)")
_CANCEL = re.compile(r"\s*\(esc to cancel.*")
_WORKING = WORDS.pattern("state.working")
_HOOK = WORDS.pattern("state.hook")
_QUEUED = WORDS.pattern("state.queued")
_INPUT = WORDS.pattern("state.input")
_FOCUSED = WORDS.pattern("state.focused")
_GOODBYE = WORDS.pattern("state.goodbye")
_REFUSAL = WORDS.pattern("state.refusal")
_FOLLOWS = WORDS.pattern("state.follows")
_STARTS = WORDS.pattern("state.starts")
_LIMIT_REACHED = WORDS.pattern("dialogs.limit_reached")
_LIMIT_ENDS = WORDS.pattern("dialogs.limit_ends")
_MESSAGE = re.compile(r" > (?P<text>\S.*)")
_ANSWER = "✦ "
_EDGES = ("▄▄▄▄", "▀▀▀▀", "╰──")
_PATIENCE = 20.0
_QUEUE = 10


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return the state that the composer or the prompt shows, or None for other screens."""
    composer = find_composer(screen)
    if composer:
        return _with_composer(screen.lines, composer, previous)
    if prompt := parse_prompt(screen):
        return SeenState(SessionState.WAITING, limit=_limit_shown(prompt.form))
    if _is_scrolled(screen) and (previous is None or previous.seen.state is SessionState.WAITING):
        return SeenState(SessionState.WAITING, holds_back=True)
    state = _without_composer(screen, previous)
    return SeenState(state) if state else None


def _is_scrolled(screen: Screen) -> bool:
    """Return True if the scrollbar of the alternate buffer says that more is below.

    The prompt that waits is a part of the conversation there, and has been scrolled out of sight.
    """
    thumb = [
        row
        for row, line in enumerate(screen.lines)
        if SCROLLBAR.search(line) and cells(line) == screen.cols
    ]
    below = screen.lines[thumb[-1] + 1 :][:1] if thumb else ()
    return any(row and not RULE.fullmatch(row) for row in below)


def _limit_shown(form: PromptForm) -> str:
    """Return what the dialog at a used-up limit says; the transcript has no end of it."""
    if not _LIMIT_REACHED.match(form.title):
        return ""
    ends = _LIMIT_ENDS.search(form.description or "")
    return f"{form.title} {ends[0]}" if ends else form.title


def _with_composer(
    lines: Sequence[str], composer: Composer, previous: Previous | None
) -> SeenState:
    status_row = _status_row(lines, composer.rule)
    state = SessionState.IDLE
    if any(_INPUT.match(line) for line in lines[max(0, composer.rule - 6) : composer.rule]):
        state = SessionState.WAITING
    elif status_row is not None or _holds_messages(lines, composer.rule):
        state = SessionState.BUSY
    elif _focused(lines, composer.rule):
        state = SessionState.WAITING
    elif previous and previous.still_for < _PATIENCE and _unanswered(lines, composer.rule):
        state = SessionState.BUSY
    working = status_row if state is SessionState.BUSY else None
    return SeenState(
        state,
        draft=composer.draft,
        streaming=_streaming(lines, working) if working is not None else "",
        thinking=_thinking(lines[working]) if working is not None else "",
        mode=composer.mode,
        model=composer.model,
        refusal=_refusal(lines[: composer.rule]) if state is SessionState.IDLE else None,
    )


def _refusal(lines: Sequence[str]) -> Refusal | None:
    """Return the refusal that is last, right below its message."""
    notice = last_entry(lines, _REFUSAL.match, _FOLLOWS.match)
    message = notice and last_entry(lines[: notice.head], _MESSAGE.match, _FOLLOWS.match, "   ")
    return Refusal(notice.first_paragraph, message.text) if notice and message else None


def _status_row(lines: Sequence[str], rule: int) -> int | None:
    # The spinner turns close above the rule.
    for row in range(rule - 1, max(-1, rule - 7), -1):
        if _SPINNER.match(lines[row]) or _HOOK.match(lines[row]) or _WORKING.match(lines[row]):
            return row
    return None


def _holds_messages(lines: Sequence[str], rule: int) -> bool:
    # Until its servers are ready, the CLI keeps what is sent above the rule, and makes it one.
    near = lines[max(0, rule - _QUEUE) : rule]
    return any(
        _QUEUED.fullmatch(line) and first.startswith("    ") for line, first in pairwise(near)
    )


def _unanswered(lines: Sequence[str], rule: int) -> bool:
    # The history ends with a message: the CLI queues messages while it starts.
    for row in range(rule - 1, -1, -1):
        line = lines[row]
        if match := _MESSAGE.match(line):
            return not match["text"].startswith("/")
        if line and not line.startswith(("   ", "▄▄▄▄", "▀▀▀▀")):
            return False
    return False


def _focused(lines: Sequence[str], rule: int) -> bool:
    # Keys go to a running command, whose box says how to leave it.
    for row in range(rule - 1, -1, -1):
        if _FOCUSED.match(lines[row]):
            return True
        if lines[row].startswith((_ANSWER, *_EDGES[:2])):
            return False
    return False


def _streaming(lines: Sequence[str], status: int) -> str:
    # The answer is above the spinner; its beginning may have left the screen.
    rows: list[str] = []
    for row in range(status - 1, -1, -1):
        line = lines[row]
        if line.startswith(_EDGES):
            return ""
        rows.append(line[2:])
        if line.startswith(_ANSWER):
            break
    else:
        if not all(line.startswith("  ") for line in lines[:status] if line):
            return ""
    return "\n".join(rows[::-1]).strip("\n")


def _thinking(line: str) -> str:
    # Tips and the CLI's own words end with an ellipsis, the subject of a thought does not.
    match = None if _HOOK.match(line) else _SPINNER.match(line)
    words = _CANCEL.sub("", match["words"]).strip() if match else ""
    return "" if words.endswith(("...", "…")) or not _CANCEL.search(line) else words


def _without_composer(screen: Screen, previous: Previous | None) -> SessionState | None:
    lines = [line for line in screen.lines if line]
    if any(_GOODBYE.search(line) for line in lines[-20:]):
        return SessionState.ENDED
    starting = previous is None or previous.seen.state is SessionState.STARTING
    waits = previous is not None and previous.still_for >= _PATIENCE
    if starting and not waits and all(_STARTS.search(line) for line in lines[:4]):
        return SessionState.STARTING
    return None
