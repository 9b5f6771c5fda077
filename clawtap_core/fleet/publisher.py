"""Copies this machine's state and events to Redis.

It reads the local event stream like any client. Events that Redis does not take are not kept: once
Redis is back, the whole state is published again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from clawtap_core.fleet.keys import MOST_EVENTS
from clawtap_core.fleet.live_publisher import LIVE_TEXTS
from clawtap_core.fleet.redis_client import FleetRedis
from clawtap_core.fleet.state_fields import ADAPTERS, SEQ, changed_fields, fields_of
from clawtap_core.model import Event, RemoteEvent, Snapshot
from clawtap_core.schemas import dump, load
from clawtap_core.transport import Transport

# They go only to those who watch a session.
_WATCHED_ONLY = LIVE_TEXTS | {"screen"}


class Publisher:
    """Publishes the events of `local` as those of one machine."""

    def __init__(
        self,
        redis: FleetRedis,
        machine: str,
        local: Transport,
    ) -> None:
        self._client, self._seal = redis.client, redis.seal
        self._events, self._state = redis.keys.events(machine), redis.keys.state(machine)
        self._local, self._timings = local, redis.timings

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Publish the whole state, then every event; return when the stream ends or has to stop.

        Errors of Redis are raised: call again once it is back.
        """
        events: Iterator[Event | None] = self._local.events(idle=self._timings.local_events)
        with closing(events):  # type: ignore[type-var]
            for event in events:
                if not keep_running():
                    return
                if event is None or isinstance(event, RemoteEvent):
                    continue
                if event.type == "snapshot":
                    self._publish_state(load(Snapshot, event.data))
                elif event.type not in _WATCHED_ONLY:
                    self.publish(event)

    def _publish_state(self, snapshot: Snapshot) -> None:
        """Replace the state in Redis, and tell the others to read it again."""
        adapters = [dump(each) for each in self._local.adapters()]
        fields = {**fields_of(snapshot), ADAPTERS: adapters}
        sealed = {name: self._sealed(name, value) for name, value in fields.items()}
        with self._client.pipeline(transaction=True) as pipe:
            pipe.delete(self._state)
            pipe.hset(self._state, mapping=sealed)
            self._append(pipe, {"stale": True})
            pipe.execute()

    def publish(self, event: Event) -> None:
        """Add an event, in one transaction with the fields that it changes."""
        changes = changed_fields(event)
        if event.seq is not None:
            changes[SEQ] = event.seq
        kept = {
            name: self._sealed(name, value) for name, value in changes.items() if value is not None
        }
        removed = [name for name, value in changes.items() if value is None]
        with self._client.pipeline(transaction=True) as pipe:
            self._append(
                pipe,
                {
                    "type": event.type,
                    "at": event.at.isoformat(),
                    "sessionId": event.session_id,
                    # An event of no session, such as a changed access, concerns no other machine.
                    "data": event.data if event.session_id else {},
                    "seq": event.seq,
                },
            )
            if kept:
                pipe.hset(self._state, mapping=kept)
            if removed:
                pipe.hdel(self._state, *removed)
            pipe.execute()

    def _append(self, pipe: Any, entry: dict[str, Any]) -> None:
        sealed = self._seal.close(self._events, entry)
        pipe.xadd(self._events, {"e": sealed}, maxlen=MOST_EVENTS, approximate=True)

    def _sealed(self, name: str, value: Any) -> bytes:
        return self._seal.close(f"{self._state} {name}", value)
