"""The live event stream: a shared log in memory, and a cursor for each reader.

Journalled events are replayed; deltas and screens are not, but a new reader gets the text that
each session is writing. Of a session's screens a slow reader gets the latest. One that falls
behind the log's length is disconnected, and catches up by replay.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from clawtap_core.journal.api import Journal
from clawtap_core.model import Event, ScreenEvent
from clawtap_core.model.event_types import STREAMED_TEXTS
from clawtap_core.screens import letters

LENGTH = 5000
PAGE = 500
_SAID = ("text", "thinking")


class EventStream:
    """The stream of events; `snapshot` makes the first event of a reader without a cursor."""

    def __init__(self, journal: Journal, snapshot: Callable[[str | None], Event]) -> None:
        self._journal = journal
        self._snapshot = snapshot
        self._log: deque[Event] = deque(maxlen=LENGTH)
        # The log holds screen events without their screens, which would take much memory.
        self._latest_screens: dict[str, ScreenEvent] = {}
        self._unfinished: dict[str, Event] = {}
        # The letters of each session's last message, if it is the agent's.
        self._said: dict[str, str] = {}
        self._count = 0
        # Reentrant: the garbage collector may end a reader while this is held.
        self._lock = threading.RLock()
        # Set by the next change, and replaced. Under gevent this wakes a reader in a quarter of the
        # time that a condition takes.
        self._changed = threading.Event()
        self._watched: Counter[str] = Counter()
        self._closed = False

    def publish(self, events: Sequence[Event]) -> None:
        """Publish events to every reader."""
        with self._lock:
            for event in events:
                if self._is_said(event):
                    continue
                self._keep_unfinished(event)
                if isinstance(event, ScreenEvent) and event.session_id:
                    self._latest_screens[event.session_id] = event
                    event = Event(event.type, event.at, event.session_id, event.data)
                self._log.append(event)
                self._count += 1
            self._wake_readers()

    def watches_screen(self, session_id: str) -> bool:
        """Return True if a reader watches this session's screen."""
        return self._watched[session_id] > 0

    def close(self) -> None:
        """End every reader."""
        with self._lock:
            self._closed = True
            self._wake_readers()

    def _wake_readers(self) -> None:
        changed, self._changed = self._changed, threading.Event()
        changed.set()

    def read(
        self, after: str | None, session_id: str | None, screens: bool, idle: float
    ) -> Iterator[Event | None]:
        """Yield events after a cursor as they come, None after each `idle` seconds without one.

        With a session, events of others do not count: readers still get None in time. Nothing
        that is published after this call is missed.
        """
        with self._lock:
            position = self._count
        return self._read(position, after, session_id, screens, idle)

    def _read(
        self,
        position: int,
        after: str | None,
        session_id: str | None,
        screens: bool,
        idle: float,
    ) -> Iterator[Event | None]:
        watched = session_id if screens else None
        self._watch(watched, 1)
        try:
            unfinished = self._unfinished_texts(session_id)
            seq = self._resume(after)
            if seq is None:
                first = self._snapshot(session_id)
                seq = first.seq or 0
                yield first
            while page := self._journal.read(seq, PAGE, session_id):
                yield from page
                seq = page[-1].seq or seq
            yield from unfinished
            yield from self._follow(position, seq, session_id, screens, idle)
        finally:
            self._watch(watched, -1)

    def _keep_unfinished(self, event: Event) -> None:
        """Keep a session's text while it is being written: until its message, or until it stops."""
        session_id = event.session_id
        if session_id and event.type in STREAMED_TEXTS:
            self._unfinished[session_id] = event
        elif session_id in self._unfinished and (
            (event.type == "message" and event.data.get("role") != "user")
            or (event.type == "session_status" and event.data.get("state") != "busy")
            or event.type == "session_removed"
        ):
            del self._unfinished[session_id]

    def _is_said(self, event: Event) -> bool:
        """Return whether a message has this text already, and note what messages say.

        A CLI may paint the end of an answer after it has stored it.
        """
        session_id = event.session_id or ""
        if event.type in STREAMED_TEXTS:
            said = self._said.get(session_id)
            text = letters(str(event.data.get("text", ""))) if said else ""
            return text != "" and text in (said or "")
        if event.type == "message" and (event.data.get("role") == "user" or _said_in(event)):
            self._said[session_id] = _said_in(event)
        elif event.type == "session_removed":
            self._said.pop(session_id, None)
        return False

    def _unfinished_texts(self, session_id: str | None) -> list[Event]:
        """Return the texts that are being written."""
        with self._lock:
            return [
                Event(event.type, event.at, event.session_id, _without_delta(event.data))
                for event in self._unfinished.values()
                if session_id in (None, event.session_id)
            ]

    def _watch(self, session_id: str | None, more: int) -> None:
        if session_id:
            with self._lock:
                self._watched[session_id] += more
                if not self._watched[session_id]:
                    self._latest_screens.pop(session_id, None)

    def _resume(self, after: str | None) -> int | None:
        """Return the sequence number of a cursor, or None if it cannot be resumed."""
        epoch, _, number = (after or "").rpartition("-")
        if epoch != self._journal.epoch or not number.isdecimal():
            return None
        seq = int(number)
        behind = self._journal.last - seq
        if behind < 0 or behind > LENGTH:
            return None
        following = self._journal.read(seq, 1)
        return seq if not following or following[0].seq == seq + 1 else None

    def _follow(
        self, position: int, seq: int, session_id: str | None, screens: bool, idle: float
    ) -> Iterator[Event | None]:
        until = time.monotonic() + idle
        while not self._closed:
            new = self._next(position, until)
            if new is None:
                return
            position += len(new)
            own_events = [
                full
                for event in new
                if _concerns(event, seq, session_id, screens) and (full := self._with_screen(event))
            ]
            if own_events or time.monotonic() >= until:
                yield from own_events or (None,)
                until = time.monotonic() + idle

    def _with_screen(self, event: Event) -> Event | None:
        """Return the event with its screen, or None if a later one replaces it."""
        if event.type != "screen":
            return event
        latest = self._latest_screens.get(event.session_id or "")
        return latest if latest and latest.data["revision"] == event.data["revision"] else None

    def _next(self, position: int, until: float) -> list[Event] | None:
        """Return the events from a position on, [] on a timeout, None if they were dropped."""
        # `publish` counts before it replaces `_changed`, so no event falls between these lines.
        while (changed := self._changed) and self._count == position:
            left = until - time.monotonic()
            if self._closed or left <= 0 or not changed.wait(left):
                return []
        with self._lock:
            missed = self._count - position
            if missed > len(self._log):
                return None
            return [self._log[index] for index in range(len(self._log) - missed, len(self._log))]


def _without_delta(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != "delta"}


def _concerns(event: Event, seq: int, session_id: str | None, screens: bool) -> bool:
    if event.type == "screen" and not screens:
        return False
    if session_id is not None and event.session_id not in (None, session_id):
        return False
    return event.seq is None or event.seq > seq


def _said_in(event: Event) -> str:
    """Return the letters of what the agent says or thinks in a message."""
    if event.data.get("role") == "user":
        return ""
    blocks = event.data.get("content", ())
    return "".join(letters(each.get("text") or "") for each in blocks if each["type"] in _SAID)
