"""The one object of older session files, which is written anew with every change.

While it grows only its last records change: no other is read twice. Where one further back did, or
what the last ones told of is gone, everything is told anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import msgspec

from clawtap_core import AgentEvent, Parsed
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_gemini.transcript import records
from clawtap_gemini.transcript.conversation import Noted, ParsedPrompt

LAST = 10
"""So many records at the end are read again: calls and tokens come into them later."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was told so far. `marks` tell records apart.

    `noted` is how it stood after the first `settled` records, and `skipped` what those held; the
    others gave messages with the ids in `last`, and so many errors.
    """

    marks: tuple[int, ...] = ()
    settled: int = 0
    noted: Noted = field(default_factory=Noted)
    skipped: SkipCounts = field(default_factory=SkipCounts)
    last: frozenset[str] = frozenset()
    errors: int = 0


def parse_whole(data: bytes, told: Told | None) -> Parsed:
    """What is new in the object since it was `told` of; nothing while it is half written."""
    try:
        rows = records.whole.decode(data).messages
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Parsed(0, told)
    marks = tuple(hash(bytes(row)) for row in rows)
    parsed = _go_on(rows, marks, told) if told and _grew(marks, told) else None
    if parsed is None or not told or not told.last <= {message.id for message in parsed.messages}:
        parsed = replace(_go_on(rows, marks, Told()), anew=told is not None)
    return replace(parsed, consumed=len(data))


def _grew(marks: tuple[int, ...], told: Told) -> bool:
    settled = told.settled
    return len(marks) >= len(told.marks) and marks[:settled] == told.marks[:settled]


def _go_on(rows: list[msgspec.Raw], marks: tuple[int, ...], told: Told) -> Parsed:
    """Read what is not settled yet; all but the last records are from now on."""
    settled = max(len(rows) - LAST, told.settled)
    more = _read(rows[told.settled : settled], told.noted)
    last = _read(rows[settled:], more.state)
    skipped = SkipCounts(told.skipped)
    skipped.update(more.why)
    errors = [*_errors(more), *_errors(last)]
    ids = frozenset(message.id for message in last.messages)
    state = Told(marks, settled, more.state, skipped, ids, len(_errors(last)))
    why = SkipCounts(skipped)
    why.update(last.why)
    return Parsed(
        0,
        state,
        (*more.messages, *last.messages),
        (*errors[told.errors :], *_status(more, last)),
        why.total(),
        why,
    )


def _read(rows: list[msgspec.Raw], noted: Noted) -> Parsed:
    reading = ParsedPrompt(noted)
    for row in rows:
        reading.line(row)
    return reading.parsed(0)


def _errors(parsed: Parsed) -> list[AgentEvent]:
    return [event for event in parsed.events if event.type == "session_error"]


def _status(more: Parsed, last: Parsed) -> list[AgentEvent]:
    """The newest there is."""
    return [event for event in (*more.events, *last.events) if event.type == "status_update"][-1:]
