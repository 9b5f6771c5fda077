"""Read the streams of all other machines into the mirror, and the replies to our calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clawtap_core.fleet.calls import Caller
from clawtap_core.fleet.mirror import Mirror
from clawtap_core.fleet.redis_client import FleetRedis
from clawtap_core.fleet.remote_machine import event_of
from clawtap_core.fleet.waiting_messages import waiting_messages
from clawtap_core.model import Cursor, QueuedMessage, RemoteEvent

_PAGE = 500


class StreamReader:
    """Keeps the mirror up to date, and hands replies to the caller."""

    def __init__(self, redis: FleetRedis, mirror: Mirror, caller: Caller) -> None:
        self._client, self._keys, self._seal = redis.client, redis.keys, redis.seal
        self._timings = redis.timings
        self._mirror, self._caller = mirror, caller

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Follow the streams until stopped; errors of Redis are raised."""
        replies, block = self._caller.stream, int(self._timings.new_entries * 1000)
        reply_position = b"0"
        while keep_running():
            positions = self._mirror.positions()
            # Machines that are new, or were out of reach, are read whole before their events.
            self._read_states([id_ for id_ in self._mirror.ids() if id_ not in positions])
            machines = {self._keys.events(id_): id_ for id_ in self._mirror.ids()}
            positions = self._mirror.positions()
            streams: dict[Any, Any] = {
                stream: positions[id_] for stream, id_ in machines.items() if id_ in positions
            }
            streams[replies] = reply_position
            rows = self._client.xread(streams, count=100, block=block)
            for stream, entries in rows or ():
                if stream.decode() == replies:
                    reply_position = entries[-1][0]
                    for _, fields in entries:
                        self._caller.take(fields)
                else:
                    self._take_events(machines[stream.decode()], entries)
            # Who waits for these has them before the next command is put together.
            time.sleep(0)

    def _take_events(self, machine_id: str, entries: Any) -> None:
        stream = self._keys.events(machine_id)
        for entry_id, fields in entries:
            entry = self._seal.read(stream, fields.get(b"e"))
            position = entry_id.decode("ascii")
            sound = isinstance(entry, Mapping)
            if not sound or not self._mirror.apply(machine_id, position, entry):
                # An event was lost, or cannot be read: only the whole state is certain.
                self._read_states([machine_id])
                return

    def _read_states(self, machine_ids: Sequence[str]) -> None:
        """Read the whole state of machines; clients get it once all are read."""
        while machine_ids:
            # Counted first: what this process changes during the reading may be missing in it.
            counts = {
                machine_id: self._mirror.own_changes(machine_id) for machine_id in machine_ids
            }
            states = {machine_id: self._state(machine_id) for machine_id in machine_ids}
            with self._mirror.changing():
                machine_ids = [
                    machine_id
                    for machine_id, state in states.items()
                    if not self._mirror.replace(machine_id, *state, own_changes=counts[machine_id])
                ]

    def _state(self, machine_id: str) -> tuple[str, dict[str, Any], list[QueuedMessage]]:
        """Return the position in a machine's stream, the state there, and its waiting messages."""
        state = self._keys.state(machine_id)
        waiting = self._keys.waiting(machine_id)
        # In one transaction, since the state must be that of the position.
        with self._client.pipeline(transaction=True) as pipe:
            pipe.xrevrange(self._keys.events(machine_id), count=1)
            pipe.hgetall(state)
            pipe.hgetall(waiting)
            last, fields, messages = pipe.execute()
        return (
            last[0][0].decode("ascii") if last else "0-0",
            self._seal.read_fields(state, fields),
            [each.message for each in waiting_messages(self._seal.read_fields(waiting, messages))],
        )

    def missed(self, cursor: Cursor, positions: Mapping[str, str]) -> list[RemoteEvent] | None:
        """Return other machines' events between a cursor and these positions.

        None if some are no longer there.
        """
        events: list[RemoteEvent] = []
        for machine_id, position in positions.items():
            after = cursor.remote.get(machine_id, "")
            if after == position:
                continue
            page = self._events_between(machine_id, after, position) if after else None
            if page is None:
                return None
            events += page
        return events

    def _events_between(self, machine_id: str, after: str, end: str) -> list[RemoteEvent] | None:
        from redis.exceptions import RedisError

        stream = self._keys.events(machine_id)
        try:
            rows = self._client.xrange(stream, after, end, count=_PAGE)
        except (RedisError, OSError):
            return None
        # The first must be the last one seen, and the last the one at the current position.
        if not rows or rows[0][0].decode() != after or rows[-1][0].decode() != end:
            return None
        events = [event for row in rows[1:] if (event := self._event(machine_id, row))]
        sound = len(events) == len(rows) - 1 and not any(event.stale for event in events)
        return events if sound else None

    def _event(self, machine_id: str, row: tuple[bytes, Mapping[bytes, bytes]]) -> Any:
        entry = self._seal.read(self._keys.events(machine_id), row[1].get(b"e"))
        return (
            event_of(machine_id, row[0].decode("ascii"), entry)
            if isinstance(entry, Mapping)
            else None
        )
