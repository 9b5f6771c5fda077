"""What has happened although the journal could not be written, as on a full disk."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from clawtap_core.errors import Unavailable
from clawtap_core.journal.api import Change, Journal
from clawtap_core.model import Event, Prompt

log = logging.getLogger(__name__)


class LateWrites:
    """Changes that wait for the journal to be writable; they are written before the next one."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._events: list[Event] = []
        self._change = Change()
        self._waiting = False

    def append(self, events: Sequence[Event], change: Change) -> list[Event]:
        """Write what waits and this, all or nothing; return these events with their `seq`."""
        late = len(self._events)
        written = self._journal.append([*self._events, *events], _join(self._change, change))
        if self._waiting:
            log.info("the journal is written again")
            self._events, self._change, self._waiting = [], Change(), False
        return written[late:]

    def keep(self, events: Sequence[Event], change: Change, error: Unavailable) -> None:
        """Keep what could not be written; of a session's states only the last one."""
        if not self._waiting:
            log.error("%s; what happens meanwhile is written later", error.message)
        self._waiting = True
        states = {event.session_id for event in events if event.type == "session_status"}
        self._events = [
            event
            for event in self._events
            if event.type != "session_status" or event.session_id not in states
        ]
        self._events += events
        self._change = _join(self._change, change)


def _join(first: Change, then: Change) -> Change:
    upsert = {
        (type(value), value.request_id if isinstance(value, Prompt) else value.id): value
        for value in (*first.upsert, *then.upsert)
    }
    delete = (*first.delete, *then.delete)
    return Change(tuple(upsert.values()), delete, {**first.markers, **then.markers})
