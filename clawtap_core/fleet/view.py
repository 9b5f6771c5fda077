"""A process's view of a fleet: it reads the state of all machines, and calls them.

Everything that waits for Redis runs in a thread of its own (in `clawtap serve` a greenlet), so that
nothing else waits for it. A failed connection is tried again; `problem` says why it failed.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from socket import gethostname
from typing import Any, Protocol

from clawtap_core.config import Settings
from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable
from clawtap_core.fleet.access import SharedAccess
from clawtap_core.fleet.calls import Caller
from clawtap_core.fleet.key_file import FleetKey, read_key
from clawtap_core.fleet.keys import RENEW, Keys
from clawtap_core.fleet.live_reader import LiveReader
from clawtap_core.fleet.members import LEFT, Member, read_member
from clawtap_core.fleet.mirror import Mirror, event_of
from clawtap_core.fleet.redis_client import BLOCK, check, connect, explained, failure
from clawtap_core.fleet.seal import Seal, SealBroken
from clawtap_core.fleet.snapshot_events import SnapshotEvents
from clawtap_core.fleet.waiting_messages import (
    WAIT,
    WaitingMessage,
    WaitingMessages,
    waiting_messages,
)
from clawtap_core.model import (
    Actor,
    Cursor,
    Event,
    Machine,
    MachineStatus,
    QueuedMessage,
    RemoteEvent,
)
from clawtap_core.prompts.sanitize import sendable
from clawtap_core.transport import FleetMember, Transport

log = logging.getLogger(__name__)
_PAGE = 500
_JOINING = "the fleet is being joined"
# The time in which the threads of a connection notice that the fleet can be reached.
LOOK = 0.1


class Local(FleetMember, Protocol):
    """The runtime of this machine, as the fleet needs it."""

    def transport(self, actor: Actor) -> Transport:
        """Return a transport on behalf of an actor."""


class FleetView:
    """The fleet as a hub sees it, a process that is not one of its machines.

    The list of members is read every `renew` seconds.
    """

    # What logs and pages say while Redis cannot be used.
    alone = "the sessions of the fleet cannot be reached"

    def __init__(
        self, settings: Settings, key: FleetKey, local: Local, *, renew: float = RENEW
    ) -> None:
        self._renew_seconds = renew
        self._settings, self._key_file = settings, settings.fleet_key
        self._local = local
        self.name = settings.machine_name or gethostname() or "machine"
        self.mirror = Mirror(local.publish)
        self.snapshots = SnapshotEvents()
        # This machine's clock, and how far it is behind that of Redis, in seconds.
        self.clock = time.time
        self._time_offset = 0.0
        # The number of this connection; threads of an earlier one end.
        self._connection = 0
        self._use(key)
        self.access = SharedAccess(self._client, key)
        self._stopped = threading.Event()
        self._connected = False
        self._left = False
        self._threads: list[threading.Thread] = []
        self._on_renew: list[Callable[[], None]] = []
        self.problem: str | None = _JOINING

    def _use(self, key: FleetKey) -> None:
        """Use this key from now on."""
        self._key = key
        self._client = connect(key.redis_url)
        self._keys, self._seal = Keys(key.fleet), Seal(key.secret)
        self._live = LiveReader(
            self._client, self._keys, self._seal, self.mirror, self._local.publish
        )
        copies = Path(self._settings.data_dir) / "fleet-waiting.json"
        self.waiting = WaitingMessages(self._client, key, copies)
        self.caller = Caller(self._client, self._keys, self._seal, self.now, self.online)

    def start(self) -> None:
        """Begin to take part."""
        for run in self._work():
            thread = threading.Thread(target=run, name=f"fleet{run.__name__}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def _work(self) -> tuple[Callable[[], None], ...]:
        """Return the functions that run in threads of their own."""
        return (self._keep_present, self._read, self._read_live)

    def on_renew(self, callback: Callable[[], None]) -> None:
        """Call back in the fleet's own thread each time it has read the members."""
        self._on_renew.append(callback)

    def close(self, seconds: float = 5.0) -> None:
        """Stop; the runtime has closed before."""
        self._connected = False
        self._stopped.set()
        # Readers that wait in Redis stop waiting.
        self._client.connection_pool.disconnect()
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        self._client.close()

    def now(self) -> int:
        """Return Redis's time in milliseconds, as far as it is known."""
        return int((self.clock() + self._time_offset) * 1000)

    def online(self, machine_id: str) -> bool:
        """Return whether a machine can be reached."""
        machine = self.mirror.machine(machine_id)
        return bool(machine and machine.online)

    @property
    def here(self) -> Machine | None:
        """Return this machine as its sessions show it; None while there is no other."""
        return None

    @property
    def own_id(self) -> str:
        """Return the id of this machine, or "" for a hub."""
        return ""

    def machines(self) -> list[MachineStatus]:
        """Return every machine; raise Unavailable if none is known and Redis cannot be used."""
        machines = self.mirror.machines()
        if not machines and self.problem not in (None, _JOINING):
            raise Unavailable(f"{self.alone}: {self.problem}")
        return machines

    def check_connected(self) -> None:
        """Raise Unavailable while Redis cannot be used and other machines cannot be asked."""
        if self.problem and (self.mirror.ids() or not self.own_id):
            raise Unavailable(f"{self.alone}: {self.problem}", code=ErrorCode.MACHINE_AWAY)

    def waits_for(self, machine_id: str) -> bool:
        """Return whether a message can wait for a machine: it is away, and Redis is not."""
        machine = self.mirror.machine(machine_id)
        return self._connected and machine is not None and not machine.online

    def leave_message(
        self, machine_id: str, actor: Actor, session_id: str, text: str
    ) -> QueuedMessage:
        """Let a message wait for a machine that is away."""
        now = self._moment()
        message = QueuedMessage(
            secrets.token_hex(6), session_id, sendable(text), now, until=now + WAIT
        )
        self.waiting.add(machine_id, WaitingMessage(message, self._through(actor)))
        self.mirror.note_waiting(machine_id, message)
        return message

    def _moment(self) -> datetime:
        return datetime.fromtimestamp(self.now() / 1000, timezone.utc)

    def _through(self, actor: Actor) -> Actor:
        return replace(actor, device=f"{actor.device} through {self.name}")

    def call(
        self, machine_id: str, actor: Actor, operation: str, arguments: Mapping[str, Any]
    ) -> Any:
        """Carry out an operation on another machine for an actor, and return the result."""
        machine = self.mirror.machine(machine_id)
        if machine is None or not machine.online:
            reason = machine.absence if machine else "this machine left the fleet"
            raise Unavailable(reason, code=ErrorCode.MACHINE_AWAY)
        through = self._through(actor)
        return self.caller.call(machine_id, machine.name, through, operation, arguments)

    @contextmanager
    def following(
        self, machine_id: str, session_id: str, *, screens: bool, idle: float
    ) -> Iterator[Iterator[Event | None]]:
        """Stream the events of another machine's session, its text and its screens."""
        published = self._local.read_published(session_id, screens=screens, idle=idle)
        with (
            self._live.watching(machine_id, session_id, screens),
            closing(published),  # type: ignore[type-var]
        ):
            yield published

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
        try:
            entry = self._seal.open(self._keys.events(machine_id), row[1].get(b"e"))
            return event_of(machine_id, row[0].decode("ascii"), entry)
        except (SealBroken, AttributeError, UnicodeDecodeError):
            return None

    # Presence

    def _keep_present(self) -> None:
        while not self._stopped.is_set():
            try:
                with explained(self._key):
                    self._renew()
            except ClawTapError as error:
                self._disconnect(error.message)
            except Exception:
                if not self._stopped.is_set():
                    log.exception("the fleet failed")
                    self._disconnect("the fleet failed; the log says why")
            self._stopped.wait(self._renew_seconds)

    def _renew(self) -> None:
        if not self._key_file.exists():
            self._leave()
            return
        self._follow_key()
        if not self._connected:
            check(self._client, self._key)
        seconds, microseconds = self._client.time()
        self._time_offset = seconds + microseconds / 1e6 - self.clock()
        self._claim()
        self._meet_others()
        self.waiting.restore()
        self.mirror.note_expired(self._moment())
        for callback in self._on_renew:
            callback()
        if not self._connected and not self._stopped.is_set():
            log.info("in the fleet as %s", self.name)
            self.problem = None
            self._connected = True
        elif self._lost():
            # Redis came back empty: everything has to be published again.
            self._disconnect("the Redis lost the fleet's values; they are being published again")

    def _follow_key(self) -> None:
        """Use the key that is in the key file now, such as after `clawtap fleet rekey`."""
        key = read_key(self._settings)
        if key == self._key:
            return
        log.info("using the new fleet key of %s", key.fleet)
        self._disconnect("the fleet has a new key")
        self.mirror.meet({}, {}, left=self.mirror.ids())
        self._left = False
        self._use(key)
        self.access.use(self._client, key)

    def _claim(self) -> None:
        """Renew our presence, where this is a machine."""

    def _lost(self) -> bool:
        """Return whether Redis lost what this process has published."""
        return False

    def _leave(self) -> None:
        """Leave the fleet: its key file was removed."""
        if not self._left:
            self.mirror.meet({}, {}, left=self.mirror.ids())
            self._left = True
            self._disconnect("this machine left the fleet")

    def _meet_others(self) -> None:
        members: dict[str, Member] = {}
        left: list[str] = []
        for field, sealed in self._client.hgetall(self._keys.machines).items():
            other = field.decode("ascii", "replace")
            entry = self._opened(f"{self._keys.machines} {other}", sealed)
            if entry is LEFT:
                left.append(other)
            elif other != self.own_id and other.isalnum() and (member := read_member(entry)):
                members[other] = member
        online = {}
        for other in members:
            key = self._keys.machine(other)
            presence = self._opened(key, self._client.hget(key, "is"))
            if isinstance(presence, Mapping):
                online[other] = presence
        self.mirror.meet(members, online, left)

    def _opened(self, place: str, sealed: object) -> Any:
        try:
            return self._seal.open(place, sealed)
        except SealBroken:
            return None

    def _disconnect(self, problem: str) -> None:
        if self._stopped.is_set():
            return
        if problem != self.problem:
            log.warning("%s: %s", self.alone, problem)
        self.problem = problem
        self._connection += 1
        if self._connected:
            self._connected = False
            self.mirror.lose_all()

    # The threads of a connection

    def _keeps_running(self, connection: int) -> bool:
        return self._connected and connection == self._connection and not self._stopped.is_set()

    def _while_connected(self) -> Iterator[None]:
        """Yield once for each connection to the fleet, and survive its errors."""
        while not self._stopped.wait(LOOK):
            if self._connected:
                yield

    def _repeat(self, run: Callable[[Callable[[], bool]], None], work: str) -> None:
        """Run a function once in each connection; its argument returns whether to continue."""
        from redis.exceptions import RedisError

        for _ in self._while_connected():
            keep_running = partial(self._keeps_running, self._connection)
            try:
                run(keep_running)
            except (RedisError, OSError) as error:
                if keep_running():
                    self._disconnect(failure(self._key, error))
                    log.info("%s: %s", work, error)
            except Exception:
                # A stop closes the connections of waiting readers.
                if keep_running():
                    log.exception("%s failed", work)
                    self._stopped.wait(RENEW)

    def _read(self) -> None:
        self._repeat(self._read_streams, "reading other machines")

    def _read_live(self) -> None:
        self._repeat(
            lambda keep_running: self._live.run(keep_running), "reading what sessions show"
        )

    def _read_streams(self, keep_running: Callable[[], bool]) -> None:
        """Follow the streams of all other machines, and the replies to our calls."""
        replies = self.caller.stream
        reply_position = b"0"
        while keep_running():
            positions = self.mirror.positions()
            self._read_states([id_ for id_ in self.mirror.ids() if id_ not in positions])
            machines = {self._keys.events(id_): id_ for id_ in self.mirror.ids()}
            positions = self.mirror.positions()
            streams: dict[Any, Any] = {
                stream: positions[id_] for stream, id_ in machines.items() if id_ in positions
            }
            streams[replies] = reply_position
            rows = self._client.xread(streams, count=100, block=int(BLOCK * 1000))
            for stream, entries in rows or ():
                if stream.decode() == replies:
                    reply_position = entries[-1][0]
                    for _, fields in entries:
                        self.caller.take(fields)
                else:
                    self._take_events(machines[stream.decode()], entries)

    def _take_events(self, machine_id: str, entries: Any) -> None:
        stream = self._keys.events(machine_id)
        for entry_id, fields in entries:
            entry = self._opened(stream, fields.get(b"e"))
            position = entry_id.decode("ascii")
            sound = isinstance(entry, Mapping)
            if not sound or not self.mirror.apply(machine_id, position, entry):
                self._read_states([machine_id])
                return

    def _read_states(self, machine_ids: Sequence[str]) -> None:
        """Read the whole state of machines; clients get it once all are read."""
        states = [(machine_id, *self._state(machine_id)) for machine_id in machine_ids]
        with self.mirror.changing():
            for state in states:
                self.mirror.replace(*state)

    def _state(self, machine_id: str) -> tuple[str, dict[str, Any], list[QueuedMessage]]:
        """Return the position in a machine's stream, the state there, and its waiting messages."""
        state = self._keys.state(machine_id)
        waiting = self._keys.waiting(machine_id)
        with self._client.pipeline(transaction=True) as pipe:
            pipe.xrevrange(self._keys.events(machine_id), count=1)
            pipe.hgetall(state)
            pipe.hgetall(waiting)
            last, fields, messages = pipe.execute()
        return (
            last[0][0].decode("ascii") if last else "0-0",
            self._opened_fields(state, fields),
            [each.message for each in waiting_messages(self._opened_fields(waiting, messages))],
        )

    def _opened_fields(self, key: str, fields: Mapping[bytes, bytes]) -> dict[str, Any]:
        return {
            (name := field.decode("utf-8", "replace")): self._opened(f"{key} {name}", sealed)
            for field, sealed in fields.items()
        }
