"""The one object of older session files, which is rewritten with every change.

While it grows only its last records change, so that no other is read twice. When an earlier one
changed, or a message of the last ones is gone, the whole conversation is reported again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import msgspec

from clawtap_core import AgentEvent, Parsed
from clawtap_core.transcripts.conversation_builder import lines
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_gemini.transcript import records
from clawtap_gemini.transcript.conversation import ReadingState, RecordReader

# Calls and token counts are added to records that stand this close to the end.
LAST = 10


@dataclass(frozen=True, slots=True)
class RewriteState:
    """What was reported of the object.

    `hashes` identify its records. `reading` and `skipped` are the state after the first `settled`
    records; the others gave the messages `last_ids` and `last_errors` errors.
    """

    hashes: tuple[int, ...] = ()
    settled: int = 0
    reading: ReadingState = field(default_factory=ReadingState)
    skipped: SkipCounts = field(default_factory=SkipCounts)
    last_ids: frozenset[str] = frozenset()
    last_errors: int = 0


def is_one_object(data: bytes) -> bool:
    """Return whether this is the object of older files, not lines."""
    new, _ = lines(data[:4096])
    return not data.strip() or (bool(new) and new[0].strip() == b"{")


def parse_object(data: bytes, before: RewriteState | None) -> Parsed:
    """Return what is new in the object; nothing while it is half written."""
    try:
        whole = records.whole.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Parsed(0, before)
    rows = whole.messages
    hashes = tuple(hash(bytes(row)) for row in rows)
    parsed = None
    grew = before and len(hashes) >= len(before.hashes)
    if before and grew and hashes[: before.settled] == before.hashes[: before.settled]:
        parsed = _read_on(rows, hashes, before)
        if not before.last_ids <= {message.id for message in parsed.messages}:
            parsed = None
    if parsed is None:
        parsed = replace(_read_on(rows, hashes, RewriteState()), replaces_all=before is not None)
    if whole.summary:
        status = {"summary": whole.summary}
        for event in parsed.events:
            if event.type == "status_update":
                status.update(event.data)
        errors = _errors(parsed)
        parsed = replace(parsed, events=(*errors, AgentEvent("status_update", status)))
    return replace(parsed, consumed=len(data))


def _read_on(rows: list[msgspec.Raw], hashes: tuple[int, ...], before: RewriteState) -> Parsed:
    # All but the last records are settled from now on.
    settled = max(len(rows) - LAST, before.settled)
    more = _read(rows[before.settled : settled], before.reading)
    last = _read(rows[settled:], more.state)
    skipped = SkipCounts(before.skipped)
    skipped.update(more.why)
    errors = [*_errors(more), *_errors(last)]
    ids = frozenset(message.id for message in last.messages)
    state = RewriteState(hashes, settled, more.state, skipped, ids, len(_errors(last)))
    why = SkipCounts(skipped)
    why.update(last.why)
    status = [event for event in (*more.events, *last.events) if event.type == "status_update"]
    return Parsed(
        0,
        state,
        (*more.messages, *last.messages),
        (*errors[before.last_errors :], *status[-1:]),
        why.total(),
        why,
    )


def _read(rows: list[msgspec.Raw], state: ReadingState) -> Parsed:
    reader = RecordReader(state)
    for row in rows:
        reader.line(row)
    return reader.parsed(0)


def _errors(parsed: Parsed) -> list[AgentEvent]:
    return [event for event in parsed.events if event.type == "session_error"]
