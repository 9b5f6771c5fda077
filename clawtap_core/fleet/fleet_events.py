"""The events of all machines in one stream, each machine's in its own order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from weakref import WeakKeyDictionary

from clawtap_core import model as values
from clawtap_core.fleet.mirror import VERSION
from clawtap_core.fleet.view import FleetView
from clawtap_core.schemas import dump
from clawtap_core.transport import Transport

# This machine's events as clients see them, made once for all of them.
_shown: WeakKeyDictionary[values.Event, values.Event] = WeakKeyDictionary()


class FleetEvents:
    """Streams of events for one client; `local` brings this machine's, and most of the others'.

    `shows` says by id whose events belong to the stream of all.
    """

    def __init__(
        self,
        fleet: FleetView,
        local: Transport,
        snapshot: Callable[[str | None], values.Snapshot],
        shows: Callable[[str], bool],
    ) -> None:
        self._fleet, self._local = fleet, local
        self._snapshot, self._shows = snapshot, shows
        # The version of the other machines in the latest snapshot; a note of an earlier change
        # needs no new one.
        self._version = 0

    def of_local(
        self, session_id: str, after: str | None, screens: bool, idle: float
    ) -> Iterator[values.Event | None]:
        """Yield the events of one session of this machine."""
        local = self._local.events(
            values.Cursor.parse(after or "").local,
            session_id=session_id,
            screens=screens,
            idle=idle,
        )
        return self._of_local(local)

    def _of_local(self, local: Iterator[values.Event | None]) -> Iterator[values.Event | None]:
        with closing(local):  # type: ignore[type-var]
            for event in local:
                if not isinstance(event, values.RemoteEvent):
                    yield event and self._shown(event)

    def of_remote(
        self, owner: str, session_id: str, after: str | None, screens: bool, idle: float
    ) -> Iterator[values.Event | None]:
        """Yield the events of a session elsewhere, including the text and screens it streams."""
        cursor = values.Cursor.parse(after or "")
        with self._fleet.following(owner, session_id, screens=screens, idle=idle) as followed:
            position = self._fleet.mirror.positions().get(owner)
            missed = self._fleet.streams.missed(cursor, {owner: position}) if position else None
            if missed is None:
                first, positions = self._begin(session_id)
                yield first
                position = positions.get(owner)
            for passed in self._named(missed or ()):
                if passed.session_id == session_id:
                    yield passed
            for event in followed:
                if event is None or (event.session_id == session_id and not _position(event)):
                    yield event
                elif event.type == "snapshot":  # the note of a stale one
                    if self._has(event):
                        continue
                    first, positions = self._begin(session_id)
                    yield first
                    position = positions.get(owner)
                elif _place(_position(event)) > _place(position or ""):
                    position = _position(event)
                    yield event

    def of_all(self, after: str | None, idle: float) -> Iterator[values.Event | None]:
        """Yield the events of all machines, or of the one that was named."""
        cursor = values.Cursor.parse(after or "")
        return self._of_all(self._local.events(cursor.local, idle=idle), cursor)

    def _of_all(
        self, local: Iterator[values.Event | None], cursor: values.Cursor
    ) -> Iterator[values.Event | None]:
        """Yield the events of this machine and of the others, each in its own order.

        `local` brings both; earlier events are read from Redis, or else replaced by a snapshot.
        """
        positions = self._fleet.mirror.positions()
        missed = self._fleet.streams.missed(cursor, positions) if cursor.local else []
        with closing(local):  # type: ignore[type-var]
            if missed is None:
                first, positions = self._begin()
                yield first
            for passed in self._named(missed or ()):
                if self._shows(passed.machine_id):
                    yield passed
            for event in local:
                if event is None:
                    yield None
                elif event.type == "snapshot":  # this machine's, or the note of a stale one
                    if self._has(event):
                        continue
                    first, positions = self._begin()
                    yield first
                elif isinstance(event, values.RemoteEvent):
                    # Streamed text has no position: it goes to those who watch the session.
                    if _place(event.position) > _place(positions.get(event.machine_id, "")):
                        positions[event.machine_id] = event.position
                        if self._shows(event.machine_id):
                            yield event
                elif self._shows(self._fleet.own_id) or not event.session_id:
                    yield self._shown(event)

    def _named(self, events: Sequence[values.RemoteEvent]) -> Iterator[values.RemoteEvent]:
        for event in events:
            if event.session_id and (machine := self._fleet.mirror.machine(event.machine_id)):
                yield machine.shown(event)

    def _begin(self, session_id: str | None = None) -> tuple[values.Event, dict[str, str]]:
        """Return the event of a snapshot, and its place in the events of each other machine."""
        self._version = self._fleet.mirror.version
        snapshot = self._snapshot(session_id)
        event = self._fleet.snapshots.event(snapshot, session_id)
        return event, dict(values.Cursor.parse(snapshot.cursor).remote)

    def _has(self, event: values.Event) -> bool:
        """Return True if the latest snapshot includes the change that this note announces."""
        return bool(event.data.get(VERSION, self._version + 1) <= self._version)

    def _shown(self, event: values.Event) -> values.Event:
        """Return an event of this machine, with the machine where it shows a session."""
        machine = self._fleet.here
        if machine is None or event.type not in ("session_status", "snapshot"):
            return event
        if event not in _shown:
            where = {"machine": dump(machine)}
            data = {**event.data, **where}
            if event.type == "snapshot":
                sessions = [{**session, **where} for session in event.data["sessions"]]
                data = {**event.data, "sessions": sessions}
            _shown[event] = replace(event, data=data)
        return _shown[event]


def _position(event: values.Event) -> str:
    return event.position if isinstance(event, values.RemoteEvent) else ""


def _place(position: str) -> tuple[int, ...]:
    """Return a position in a stream, such as 1700000000000-2, as numbers that can be compared."""
    return tuple(int(part) for part in position.split("-") if part.isdecimal())
