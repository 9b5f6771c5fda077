"""A process's view of a fleet: it reads the state of all machines, and calls them.

Everything that waits for Redis runs in a thread of its own (in `clawtap serve` a greenlet), so that
nothing else waits for it. A failed connection is tried again; `problem` says why it failed.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from clawtap_core.config import Settings
from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable
from clawtap_core.fleet.access import SharedAccess
from clawtap_core.fleet.calls import Caller
from clawtap_core.fleet.former_fleet import FormerFleet
from clawtap_core.fleet.key_file import FleetKey, read_key
from clawtap_core.fleet.key_types import HASH, STREAM
from clawtap_core.fleet.live_reader import LiveReader
from clawtap_core.fleet.members import read_others
from clawtap_core.fleet.mirror import Mirror
from clawtap_core.fleet.redis_client import (
    LOST_VALUES,
    FleetRedis,
    check_proof,
    check_redis,
    explained,
    failure,
)
from clawtap_core.fleet.snapshot_events import SnapshotEvents
from clawtap_core.fleet.stream_reader import StreamReader
from clawtap_core.fleet.timings import FLEET_TIMINGS, FleetTimings
from clawtap_core.fleet.waiting_messages import (
    WAIT,
    WaitingMessage,
    WaitingMessages,
)
from clawtap_core.model import (
    Actor,
    Event,
    Machine,
    MachineState,
    MachineStatus,
    QueuedMessage,
)
from clawtap_core.prompts.sanitize import sendable
from clawtap_core.transport import FleetMember, Transport

log = logging.getLogger(__name__)
_JOINING = "the fleet is being joined"
_NO_MACHINE = (
    "no machine is in the fleet; run `clawtap fleet join` on each machine that has CLIs, and"
    " restart `clawtap serve` there"
)


class Local(FleetMember, Protocol):
    """The runtime of this machine, as the fleet needs it."""

    def transport(self, actor: Actor) -> Transport:
        """Return a transport on behalf of an actor."""


class Worker(Protocol):
    """Work in a thread of its own, as long as one connection to Redis lasts."""

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Work until stopped; errors of Redis are raised."""


class FleetView:
    """The fleet as a hub sees it, a process that is not one of its machines."""

    # What logs and pages say while Redis cannot be used.
    alone = "the sessions of the fleet cannot be reached"

    def __init__(
        self,
        settings: Settings,
        key: FleetKey,
        local: Local,
        *,
        timings: FleetTimings = FLEET_TIMINGS,
    ) -> None:
        self._timings = timings
        self._settings, self._key_file = settings, settings.fleet_key
        self._local = local
        self.name = settings.name_in_fleet
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
        self._former = FormerFleet()
        self.problem: str | None = _JOINING
        self._unseen: str | None = None

    def _use(self, key: FleetKey) -> None:
        """Use this key from now on."""
        self._key = key
        self._redis = redis = FleetRedis.open(key, self._timings)
        self._client, self._keys, self._seal = redis.client, redis.keys, redis.seal
        self._live = LiveReader(redis, self.mirror, self._local.publish)
        copies = Path(self._settings.data_dir) / "fleet-waiting.json"
        self.waiting = WaitingMessages(self._client, key, copies)
        self.caller = Caller(redis, self.now, self._process_of)
        self.streams = StreamReader(redis, self.mirror, self.caller)

    def start(self) -> None:
        """Begin to take part."""
        self._start_thread("presence", self._keep_present)
        for work, make_worker in self._workers().items():
            self._start_thread(work, partial(self._repeat, make_worker, work))

    def wait_until_read(self) -> None:
        """Return once every machine was read, or it is known why that cannot be done."""
        end = time.monotonic() + self._timings.read_ends
        while time.monotonic() < end and not self._has_read_all():
            self._stopped.wait(self._timings.connection)

    def _has_read_all(self) -> bool:
        if self.problem is not None:
            return self.problem != _JOINING
        return self.mirror.positions().keys() >= {*self.mirror.ids()}

    def _start_thread(self, work: str, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name=f"fleet: {work}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _workers(self) -> dict[str, Callable[[], Worker]]:
        """Return what makes the workers of a connection, by what they do."""
        return {
            "reading other machines": lambda: self.streams,
            "reading what sessions show": lambda: self._live,
        }

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
        self._former.close()

    def now(self) -> int:
        """Return Redis's time in milliseconds, as far as it is known."""
        return int((self.clock() + self._time_offset) * 1000)

    def online(self, machine_id: str) -> bool:
        """Return whether a machine can be reached."""
        return self._process_of(machine_id) is not None

    def _process_of(self, machine_id: str) -> str | None:
        """Return a mark of a machine's process; None while it cannot be reached."""
        machine = self.mirror.machine(machine_id)
        return machine.process if machine and machine.online else None

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
        self.check_known()
        machines = self.mirror.machines()
        if self.problem in (None, _JOINING):
            return machines
        return [
            replace(each, detail=f"{each.detail}: {self.problem}" if each.detail else self.problem)
            for each in machines
        ]

    def check_known(self) -> None:
        """Raise Unavailable on a hub that knows no machine, since it cannot use Redis."""
        known = self.own_id or self.mirror.ids()
        if not known and self.problem not in (None, _JOINING):
            raise Unavailable(f"{self.alone}: {self.problem}", code=ErrorCode.MACHINE_AWAY)

    @property
    def unseen(self) -> str | None:
        """Return why a hub sees no machine; None on a machine, and while one is online."""
        machines = self.mirror.machines()
        online = any(each.machine.state is MachineState.ONLINE for each in machines)
        if self.own_id or online or self.problem == _JOINING:
            return None
        if machines:
            none_online = "no machine of the fleet is online"
            return f"{none_online}: {self.problem}" if self.problem else none_online
        return f"{self.alone}: {self.problem}" if self.problem else _NO_MACHINE

    def check_connected(self) -> None:
        """Raise Unavailable while Redis cannot be used and other machines cannot be asked."""
        if self.problem and (self.mirror.ids() or not self.own_id):
            raise Unavailable(f"{self.alone}: {self.problem}", code=ErrorCode.MACHINE_AWAY)

    def keeps_messages(self, machine_id: str) -> bool:
        """Return whether Redis can keep messages that wait for a machine."""
        return self._connected and self.mirror.machine(machine_id) is not None

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
        if actor.device == self.name:  # whoever has the owner's token here
            return actor
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

    # Presence

    def _keep_present(self) -> None:
        while not self._stopped.is_set():
            try:
                self._renew()
            except ClawTapError as error:
                self._disconnect(error.message)
                if error.code == ErrorCode.FLEET_KEY_OLD:
                    self._former.note(self._redis, [self.own_id, *self.mirror.ids()])
            except Exception:
                if not self._stopped.is_set():
                    log.exception("the fleet failed")
                    self._disconnect("the fleet failed; the log says why")
            if (unseen := self.unseen) != self._unseen:
                # Clients show why no machine is seen.
                self._unseen = unseen
                self.mirror.note_changed()
            self._stopped.wait(self._timings.renewal)

    def _renew(self) -> None:
        if not self._key_file.exists():
            self._leave()
            return
        # It may have come back without a restart.
        self._left = False
        self._former.remove(self._redis)
        self._follow_key()
        with explained(self._client, self._key):
            given = self._renew_presence()
        if given:
            self._renew()

    def _renew_presence(self) -> bool:
        """Renew what Redis and this process know; return True if there is a new key instead."""
        connection, connected = self._connection, self._connected
        if not connected:
            check_redis(self._client, self._key, self._own_keys())
        if self._take_new_key():
            return True
        # Nothing else tells a hub that the fleet has a new key.
        check_proof(self._client, self._key)
        # Deadlines are set and checked by Redis's clock, since those of machines differ.
        seconds, microseconds = self._client.time()
        self._time_offset = seconds + microseconds / 1e6 - self.clock()
        self._claim()
        others = read_others(self._redis, self.own_id)
        self.mirror.meet(others.members, others.online, others.left)
        self.waiting.repair(others.left)
        self.mirror.note_expired(self._moment())
        for callback in self._on_renew:
            callback()
        if connection != self._connection:
            # It was lost meanwhile: only a check says why, and who was met may be out of reach.
            self.mirror.lose_all()
        elif not connected and not self._stopped.is_set():
            log.info("in the fleet as %s", self.name)
            self.problem = None
            self._connected = True
        elif self._lost():
            # Redis came back empty: everything has to be published again.
            self._disconnect(LOST_VALUES)
        return False

    def _own_keys(self) -> dict[str, str]:
        """Return the types of the keys that this process needs and not every other."""
        keys = self._keys
        return {self.caller.stream: STREAM, keys.devices: HASH, keys.codes: HASH}

    def _take_new_key(self) -> bool:
        """Put a new fleet key that was left for this machine into its key file."""
        return False

    def _follow_key(self) -> None:
        """Use the key that is in the key file now, such as after `clawtap fleet rekey`."""
        key = read_key(self._settings)
        if key == self._key:
            return
        log.info("using the new fleet key of %s", key.fleet)
        self._disconnect("the fleet has a new key")
        self._former.note(self._redis, [self.own_id, *self.mirror.ids()])
        self.mirror.meet({}, {}, left=self.mirror.ids())
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

    def _repeat(self, make_worker: Callable[[], Worker], work: str) -> None:
        """Run a worker in each connection to Redis, and survive its errors."""
        from redis.exceptions import RedisError

        while not self._stopped.wait(self._timings.connection):
            if not self._connected:
                continue
            keep_running = partial(self._keeps_running, self._connection)
            try:
                make_worker().run(keep_running)
            except (RedisError, OSError) as error:
                if keep_running():
                    self._disconnect(failure(self._client, self._key, error))
                    log.info("%s: %s", work, error)
            except ClawTapError as error:
                if keep_running():
                    self._disconnect(error.message)
            except Exception:
                # A stop closes the connections of waiting readers.
                if keep_running():
                    log.exception("%s failed", work)
                    self._stopped.wait(self._timings.renewal)
