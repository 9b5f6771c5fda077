"""Detect what the CLI is doing, by the status line, the footer and the title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clawtap_claude.screen.composer import Composer, find_composer
from clawtap_claude.screen.prompt import parse_prompt
from clawtap_claude.words import WORDS
from clawtap_core import Previous, Refusal, Screen, SeenState, SessionState, hookimpl
from clawtap_core.screens import drawn, last_entry

_SPINNER = WORDS.pattern("state.spinner")
_THINKS = WORDS.pattern("state.thinks")
_INTERRUPT = WORDS.pattern("state.interrupt")
_HOLDS_BACK = WORDS.pattern("state.holds_back")
_TITLE_BUSY = WORDS.pattern("state.title_busy")
_SKIPPED = WORDS.pattern("state.skipped")
_TRANSCRIPT = WORDS.pattern("state.transcript")
_HEADER = WORDS.pattern("state.header")
_MODEL = WORDS.pattern("state.model")
_SWITCHED = WORDS.pattern("state.switched")
_MODEL_NAME = WORDS.pattern("state.model_name")
_GOODBYE = WORDS.pattern("state.goodbye")
_DEAD = WORDS.pattern("state.dead")
_REFUSAL = WORDS.pattern("state.refusal")
_ASIDE = WORDS.pattern("state.aside")
_ENTRY = WORDS.pattern("state.entry")
_REFUSED = WORDS.pattern("state.refused")
_MESSAGE = WORDS.pattern("state.message")
_ANSWER, _RESULT = "●", "  ⎿"
_PATIENCE = 10.0


@hookimpl
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return busy or idle by the composer; without one, what else the screen shows."""
    composer = find_composer(screen)
    if composer:
        return _at_work(screen, composer, previous)
    if parse_prompt(screen):
        return SeenState(SessionState.WAITING)
    if footer := _transcript_footer(screen):
        return _behind_transcript(screen, previous, asks=bool(footer["asks"]))
    state = _without_composer(screen, previous)
    return SeenState(state) if state else None


def shows_transcript(screen: Screen) -> bool:
    """Return True if the view of the conversation is open, which hides the composer."""
    return find_composer(screen) is None and _transcript_footer(screen) is not None


def _transcript_footer(screen: Screen) -> re.Match[str] | None:
    return next(filter(None, map(_TRANSCRIPT.match, _rows(screen)[-1:])), None)


def _behind_transcript(screen: Screen, previous: Previous | None, *, asks: bool) -> SeenState:
    """Return what the CLI may be doing behind the view of the conversation, which hides prompts."""
    state = SessionState.WAITING
    if not asks and _title_busy(screen):
        state = SessionState.BUSY
    elif not asks and (previous is None or previous.seen.state is SessionState.IDLE):
        state = SessionState.IDLE
    return SeenState(state, holds_back=True)


def _rows(screen: Screen) -> list[str]:
    return [line for line in screen.lines if line]


def _at_work(screen: Screen, composer: Composer, previous: Previous | None) -> SeenState:
    lines = screen.lines
    at = _status_row(lines, composer.top)
    busy = at is not None or bool(_INTERRUPT.search(composer.footer)) or _title_busy(screen)
    if composer.overlaid and previous:
        busy = busy or previous.seen.state is SessionState.BUSY
    spinner = None if at is None else _SPINNER.fullmatch(lines[at])
    state = SessionState.BUSY if busy else SessionState.IDLE
    holds_back = _holds_back(lines, composer.top)
    return SeenState(
        SessionState.WAITING if holds_back else state,
        draft=composer.draft,
        streaming=_streaming(lines[: composer.top if at is None else at], previous) if busy else "",
        # The CLI says that it thinks, not what.
        thinking="Thinking" if spinner and _THINKS.search(spinner["rest"]) else "",
        mode=composer.mode,
        model=_model(lines, composer.top),
        holds_back=holds_back,
        overlaid=composer.overlaid,
        refusal=None if busy else _refusal(lines, composer),
    )


def _refusal(lines: Sequence[str], composer: Composer) -> Refusal | None:
    """Return the refusal that is last; newer versions put the message back into the composer."""
    shown = [line for line in lines[: composer.top] if not _ASIDE.match(line)]
    notice = last_entry(shown, _REFUSAL.match, _ENTRY.match)
    if notice is None:
        return None
    refused = last_entry(notice.rows, _REFUSED.match, _ENTRY.match, margin="")
    refused = refused or last_entry(shown[: notice.head], _MESSAGE.match, _ENTRY.match)
    if refused is None:
        return None
    # Another text may be in the composer by now; of a long one its end is visible.
    message, draft = drawn(refused.text), drawn(composer.draft)
    fits = message.endswith(draft) if composer.hidden else draft in ("", message)
    return Refusal(notice.first_paragraph, refused.text) if fits else None


def _holds_back(lines: Sequence[str], top: int) -> bool:
    last = next((line for line in reversed(lines[:top]) if line), "")
    return _HOLDS_BACK.fullmatch(last) is not None


def _title_busy(screen: Screen) -> bool:
    return bool(screen.title and _TITLE_BUSY.match(screen.title))


def _status_row(lines: Sequence[str], top: int) -> int | None:
    """Return the row of the spinner: the last above the composer, tips and queue apart."""
    for row in range(top - 1, -1, -1):
        line = lines[row]
        if _SPINNER.fullmatch(line):
            return row
        if line and not _SKIPPED.match(line):
            return None
    return None


def _streaming(lines: Sequence[str], previous: Previous | None) -> str:
    """Return the visible rows of the answer that is last; the first may be off the screen."""
    rows: list[str] = []
    for line in reversed(lines):
        if not rows and _SKIPPED.match(line):
            continue
        if line.startswith(_ANSWER):
            rows.append(line[2:])
            break
        if line.startswith(_RESULT) or (line and not line.startswith("  ")):
            return ""
        rows.append(line[2:])
    else:
        # A long message of the user looks the same.
        if previous is None or not previous.seen.streaming:
            return ""
    return "\n".join(rows[::-1]).strip("\n")


def _model(lines: Sequence[str], top: int) -> str | None:
    """Return the model that was set last, or else the one in the header."""
    for row in range(top - 1, -1, -1):
        if match := _SWITCHED.fullmatch(lines[row]):
            name = _MODEL_NAME.match(match["model"])
            return name["model"] if name else None
    for row in range(min(top, len(lines)) - 1, 0, -1):
        if _HEADER.search(lines[row - 1]) and (match := _MODEL.match(lines[row])):
            return match["model"]
    return None


def _without_composer(screen: Screen, previous: Previous | None) -> SessionState | None:
    lines = _rows(screen)
    if any(_GOODBYE.search(line) for line in lines[-25:]) or any(map(_DEAD.match, lines[-1:])):
        return SessionState.ENDED
    if _title_busy(screen):
        return SessionState.BUSY
    begun = previous is None or previous.seen.state is SessionState.STARTING
    waits = previous is not None and previous.still_for >= _PATIENCE
    header = not lines or any(_HEADER.search(line) for line in lines[:2])
    return SessionState.STARTING if begun and not waits and header else None
