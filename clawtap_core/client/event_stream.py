"""Parse a text/event-stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone

from clawtap_core.model import Event


def read_events(lines: Iterator[bytes]) -> Iterator[Event | None]:
    """Yield the events of a stream, and None for each comment."""
    fields: dict[str, str] = {}
    for line in lines:
        text = line.decode("utf-8", "replace")
        if text.startswith(":"):
            yield None
        elif text:
            name, _, value = text.partition(":")
            fields[name] = value.removeprefix(" ")
        else:
            if "data" in fields:
                yield _event(fields)
            fields = {}


def _event(fields: Mapping[str, str]) -> Event:
    data = json.loads(fields["data"])
    number = fields.get("id", "").rpartition("-")[2]
    return Event(
        fields.get("event", "message"),
        datetime.now(timezone.utc),
        data.get("sessionId"),
        data,
        int(number) if number.isdecimal() else None,
    )
