"""A journal that lives as long as its process: for tests and for the library."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from clawtap_core.journal import records
from clawtap_core.journal.api import Change, Kept
from clawtap_core.journal.records import Record
from clawtap_core.model import Event, Prompt


class MemoryJournal:
    """A Journal in memory. What goes in comes out as from a file: through the same records."""

    def __init__(self) -> None:
        self.epoch = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._last = 0
        self._records: dict[tuple[str, str], Record] = {}
        self._notes: dict[str, str] = {}

    @property
    def last(self) -> int:
        """The last event's sequence number."""
        return self._last

    def append(self, events: Sequence[Event], change: Change | None = None) -> list[Event]:
        """Write events and what follows from them, all or nothing."""
        change = change or Change()
        events = [records.sound(event) for event in events]
        keep = {records.key(value): records.record(value) for value in change.keep}
        notes = {name: json.dumps(note) for name, note in change.notes.items()}
        with self._lock:
            done = [records.numbered(e, self._last + n) for n, e in enumerate(events, start=1)]
            self._events += done
            self._last += len(done)
            self._records.update(keep)
            for value in change.drop:
                self._records.pop(records.key(value), None)
            self._notes.update(notes)
        return done

    def read(self, after: int = 0, limit: int = 200, session_id: str | None = None) -> list[Event]:
        """Events after a sequence number, oldest first."""
        with self._lock:
            found = [
                event
                for event in self._events
                if (event.seq or 0) > after and session_id in (None, event.session_id)
            ]
        return found[:limit]

    def kept(self) -> Kept:
        """What is true now."""
        with self._lock:
            found, notes = list(self._records.values()), dict(self._notes)
        values = [records.value_of(record.kind, record.text) for record in found]
        read: dict[str, Any] = {name: json.loads(text) for name, text in notes.items()}
        return records.kept_of(
            values, {name: note for name, note in sorted(read.items()) if note is not None}
        )

    def prompt(self, request_id: str) -> Prompt | None:
        """A prompt by its id, else the latest with this tool call id, an open one before all."""
        with self._lock:
            found = self._records.get(("prompt", request_id))
            called = [r for r in self._records.values() if r.alias == request_id]
        if found is None and called:
            found = next((r for r in reversed(called) if r.open), called[-1])
        value = records.value_of(found.kind, found.text) if found else None
        return value if isinstance(value, Prompt) else None

    def prune(self, before: datetime, most: int | None = None) -> int:
        """Forget what is old; what is open, alive or queued stays, and so does the last event."""
        limit = records.ticks(before)
        with self._lock:
            new = (e.seq or 0 for e in self._events if records.ticks(e.at) >= limit)
            keep = min(new, default=self._last)
            if most is not None:
                keep = max(keep, self._last - max(most, 1) + 1)
            count = len(self._events)
            self._events = [event for event in self._events if (event.seq or 0) >= keep]
            self._records = {
                name: record
                for name, record in self._records.items()
                if record.open or record.at >= limit
            }
            return count - len(self._events)

    def close(self) -> None:
        """Nothing is held that must be let go of."""
