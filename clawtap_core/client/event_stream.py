"""Parse a text/event-stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone

from clawtap_core.model import Cursor, Event, RemoteEvent


def read_events(lines: Iterator[bytes], after: str = "") -> Iterator[Event | None]:
    """Yield the events of a stream that begins after a cursor, and None for each comment."""
    cursor, fields = Cursor.parse(after), dict[str, str]()
    for line in lines:
        text = line.decode("utf-8", "replace")
        if text.startswith(":"):
            yield None
        elif text:
            name, _, value = text.partition(":")
            fields[name] = value.removeprefix(" ")
        else:
            if "data" in fields:
                event = _event(fields, cursor)
                cursor = cursor.after(event) or cursor
                yield event
            fields = {}


def _event(fields: Mapping[str, str], before: Cursor) -> Event:
    """Return an event; it is of the machine whose place moved, if that is another one."""
    data = json.loads(fields["data"])
    kind, now = fields.get("event", "message"), datetime.now(timezone.utc)
    cursor = Cursor.parse(fields.get("id", ""))
    moved = cursor.remote.items() - before.remote.items() if kind != "snapshot" else ()
    for machine_id, position in moved:
        return RemoteEvent(
            kind, now, data.get("sessionId"), data, machine_id=machine_id, position=position
        )
    number = cursor.local.rpartition("-")[2]
    seq = int(number) if number.isdecimal() else None
    return Event(kind, now, data.get("sessionId"), data, seq)
