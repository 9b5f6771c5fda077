"""Events that are in the journal before anybody gets them, and the markers that go with them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from clawtap_core.errors import Unavailable
from clawtap_core.journal.api import Change, Journal, Value
from clawtap_core.model import Event, QueuedMessage, Session
from clawtap_core.runtime.state.event_stream import EventStream
from clawtap_core.runtime.state.late_writes import LateWrites

log = logging.getLogger(__name__)
Listener = Callable[[Event, Session], None]
Markers = dict[tuple[str, str], Any]


class CommittedEvents:
    """Write events and what they change in one transaction, then publish them in this order.

    A marker is a value that a component keeps about a session over a restart, by the session's id
    and a key. `snapshot` makes the first event of a new reader, `find_session` is for listeners.
    """

    def __init__(
        self,
        journal: Journal,
        markers: Mapping[tuple[str, str], Any],
        snapshot: Callable[[str | None], Event],
        find_session: Callable[[str], Session | None],
        now: Callable[[], datetime],
    ) -> None:
        self.journal = journal
        self.now = now
        self._find_session = find_session
        self._lock = threading.RLock()
        self._writes = LateWrites(journal)
        self._stream = EventStream(journal, snapshot)
        self._markers: Markers = dict(markers)
        self._listeners: list[tuple[Listener, bool]] = []

    def subscribe(self, listener: Listener, *, transient: bool = False) -> None:
        """Call `listener` with every committed event of a session, or every transient one.

        The lock may be held: a listener must not wait.
        """
        self._listeners.append((listener, transient))

    def commit(
        self,
        new_events: Sequence[Event],
        *,
        upsert: Sequence[Value] = (),
        delete: Sequence[Session | QueuedMessage] = (),
        markers: Mapping[tuple[str, str], Any] | None = None,
        happened: bool = False,
    ) -> None:
        """Write events and their changes, then publish them; None clears a marker.

        What the disk refuses is not done, unless it has `happened` outside of the store already:
        then it is published all the same, and written as soon as the disk takes it.
        """
        markers = markers or {}
        with self._lock:
            change = Change(tuple(upsert), tuple(delete), markers)
            try:
                written = self._writes.append(new_events, change)
            except Unavailable as error:
                if not happened:
                    raise
                self._writes.keep(new_events, change, error)
                written = list(new_events)
            for name, value in markers.items():
                if value is None:
                    self._markers.pop(name, None)
                else:
                    self._markers[name] = value
            # Within the lock, so that readers get the events in the journal's order.
            self._stream.publish(written)
        for event in written:
            self._notify(event, transient=False)

    def publish_transient(self, event: Event) -> None:
        """Publish an event that is not kept, such as a delta or a screen."""
        self._stream.publish([event])
        self._notify(event, transient=True)

    def _notify(self, event: Event, *, transient: bool) -> None:
        session = self._find_session(event.session_id or "")
        for listener, hears_transient in self._listeners if session else ():
            if session and hears_transient is transient:
                try:
                    listener(event, session)
                except Exception:
                    log.warning("a listener failed", exc_info=True, extra={"session": session.id})

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep other threads out while changes that belong together are made."""
        with self._lock:
            yield

    def marker(self, session_id: str, key: str) -> Any:
        """Return a session's marker, or None."""
        return self._markers.get((session_id, key))

    def mark(self, session_id: str, key: str, value: Any, *, happened: bool = False) -> None:
        """Set a session's marker; `happened` as in `commit`."""
        self.commit([], markers={(session_id, key): value}, happened=happened)

    @property
    def cursor(self) -> str:
        """Return the place in the event stream after the last event."""
        return f"{self.journal.epoch}-{self.journal.last}"

    def read_events(
        self, after: str | None, session_id: str | None, screens: bool, idle: float
    ) -> Iterator[Event | None]:
        """Yield events after a cursor as they come, None after each `idle` seconds without one."""
        return self._stream.read(after, session_id, screens, idle)

    def watches_screen(self, session_id: str) -> bool:
        """Return True while a reader watches this session's screen."""
        return self._stream.watches_screen(session_id)

    def close(self) -> None:
        """End every stream."""
        self._stream.close()
