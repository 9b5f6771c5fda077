"""This machine's part in the fleet: its presence, what it publishes, reads and carries out.

Everything that waits for Redis runs in a thread of its own (in `clawtap serve` a greenlet), so
that nothing of this machine waits for it. Whatever fails is tried again; until then this machine
works alone, and `problem` says why.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from socket import gethostname
from typing import Any, Protocol

from clawtap_core import __version__
from clawtap_core.config import Settings
from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable
from clawtap_core.fleet.call_log import CallLog
from clawtap_core.fleet.calls import Caller, CallReceiver
from clawtap_core.fleet.key_file import FleetKey, read_machine_id
from clawtap_core.fleet.keys import RENEW, TTL, Keys
from clawtap_core.fleet.mirror import Mirror, event_of
from clawtap_core.fleet.publisher import Publisher
from clawtap_core.fleet.redis_client import BLOCK, check, connect, explained
from clawtap_core.fleet.seal import Seal, SealBroken
from clawtap_core.model import (
    Actor,
    Cursor,
    Event,
    Machine,
    MachineStatus,
    RemoteEvent,
)
from clawtap_core.transport import Transport

log = logging.getLogger(__name__)
_PAGE = 500
# So soon what goes on while connected notices that the fleet can be reached.
LOOK = 0.1
# Someone else's presence under our id is our own of before a crash, until it was renewed.
_OWN_TRACE = TTL + RENEW


class Local(Protocol):
    """The runtime of this machine, as the fleet needs it."""

    def transport(self, actor: Actor) -> Transport:
        """Return a transport on behalf of an actor."""

    def publish(self, event: Event) -> None:
        """Publish an event that is not kept to every reader."""


class Fleet:
    """The machines that share a key, as one of them sees them.

    Presence is renewed every `renew` seconds.
    """

    def __init__(
        self, settings: Settings, key: FleetKey, local: Local, *, renew: float = RENEW
    ) -> None:
        self._renew_seconds = renew
        self._key, self._key_file = key, settings.fleet_key
        self._local = local
        self._client = connect(key.redis_url)
        self._keys, self._seal = Keys(key.fleet), Seal(key.secret)
        folder = Path(settings.data_dir)
        name = settings.machine_name or gethostname() or "machine"
        self.machine = Machine(read_machine_id(folder), name, here=True)
        self.mirror = Mirror(local.publish)
        self._calls = CallLog(folder / "fleet-calls.db")
        self._time_offset = 0.0
        # Who is present under our id: this process, and before it the one of `_last_process`.
        self._process = secrets.token_hex(8)
        self._process_file = folder / "fleet-process"
        self._foreign_since = 0.0
        self.caller = Caller(self._client, self._keys, self._seal, self.now, self.online)
        self._stopped = threading.Event()
        self._connected = False
        self._left = False
        self._threads: list[threading.Thread] = []
        self._since = datetime.now(timezone.utc)
        self.problem: str | None = "the fleet is being joined"

    def start(self) -> None:
        """Begin to take part."""
        for run in (self._keep_present, self._publish, self._read, self._receive):
            thread = threading.Thread(target=run, name=f"fleet{run.__name__}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self, seconds: float = 5.0) -> None:
        """Stop, and tell the others that this machine is away; the runtime has closed before."""
        was_connected, self._connected = self._connected, False
        self._stopped.set()
        if was_connected and not self._left:
            try:
                self._client.delete(self._keys.machine(self.machine.id))
            except Exception:
                log.info("the fleet was left without a word: Redis does not answer")
        # Who waits in Redis stops waiting.
        self._client.connection_pool.disconnect()
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        self._calls.close()
        self._client.close()

    def now(self) -> int:
        """Return Redis's time in milliseconds, as far as it is known."""
        return int((time.time() + self._time_offset) * 1000)

    def online(self, machine_id: str) -> bool:
        """Return whether a machine can be reached."""
        machine = self.mirror.machine(machine_id)
        return bool(machine and machine.online)

    @property
    def here(self) -> Machine | None:
        """Return this machine as its sessions show it; None while there is no other."""
        return self.machine if self.mirror.ids() else None

    def machines(self) -> list[MachineStatus]:
        """Return every machine, this one first."""
        local = self._local.transport(Actor("fleet", self.machine.name))
        own = MachineStatus(
            self.machine,
            __version__,
            sessions=sum(not session.state.over for session in local.sessions()),
            pending=len(local.pending()),
            since=self._since,
            detail=self.problem,
        )
        return [own, *self.mirror.machines()]

    def call(
        self, machine_id: str, actor: Actor, operation: str, arguments: Mapping[str, Any]
    ) -> Any:
        """Have another machine do something for an actor, and return the result."""
        machine = self.mirror.machine(machine_id)
        if machine is None or not machine.online:
            reason = machine.absence if machine else "this machine left the fleet"
            raise Unavailable(reason, code=ErrorCode.MACHINE_AWAY)
        through = replace(actor, device=f"{actor.device} through {self.machine.name}")
        return self.caller.call(machine_id, machine.name, through, operation, arguments)

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
        # The first must be the one that was seen last, the last the one where we are.
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
        if not self._connected:
            check(self._client, self._key)
        seconds, microseconds = self._client.time()
        self._time_offset = seconds + microseconds / 1e6 - time.time()
        self._claim()
        self._meet_others()
        if not self._connected and not self._stopped.is_set():
            log.info("this machine is in the fleet as %s", self.machine.name)
            self.problem = None
            self._connected = True
        elif not self._client.hget(self._keys.state(self.machine.id), "seq"):
            # Redis came back empty: everything has to be published again.
            self._disconnect("the Redis lost the fleet's values; they are being published again")

    def _claim(self) -> None:
        """Renew our presence; raise Unavailable while another process has our id."""
        key = self._keys.machine(self.machine.id)
        holder = (self._client.hget(key, "process") or b"").decode("ascii", "replace")
        if holder not in ("", self._process, self._last_process()):
            self._foreign_since = self._foreign_since or time.monotonic()
            if time.monotonic() - self._foreign_since > _OWN_TRACE:
                raise Unavailable(
                    "another machine of the fleet uses this machine's id, as a copied data folder"
                    f" has it; remove {self._key_file.parent / 'machine-id'} on one of them and"
                    " restart it",
                    code=ErrorCode.MACHINE_TWICE,
                )
            raise Unavailable("this machine's id is still in use", code=ErrorCode.MACHINE_TWICE)
        self._foreign_since = 0.0
        presence = {"name": self.machine.name, "version": __version__}
        sealed = self._seal.close(key, presence)
        name = self._seal.close(f"{self._keys.machines} {self.machine.id}", self.machine.name)
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hset(key, mapping={"process": self._process, "is": sealed})
            pipe.pexpire(key, int(TTL * 1000))
            pipe.hset(self._keys.machines, self.machine.id, name)
            pipe.execute()
        if holder != self._process:
            self._process_file.write_text(self._process)

    def _last_process(self) -> str:
        try:
            return self._process_file.read_text(encoding="ascii")
        except (OSError, ValueError):
            return self._process

    def _meet_others(self) -> None:
        names: dict[str, str] = {}
        for field, sealed in self._client.hgetall(self._keys.machines).items():
            other = field.decode("ascii", "replace")
            name = self._opened(f"{self._keys.machines} {other}", sealed)
            if other != self.machine.id and other.isalnum() and isinstance(name, str):
                names[other] = name[:60]
        online = {}
        for other in names:
            key = self._keys.machine(other)
            presence = self._opened(key, self._client.hget(key, "is"))
            if isinstance(presence, Mapping):
                online[other] = presence
        self.mirror.meet(names, online)

    def _opened(self, place: str, sealed: object) -> Any:
        try:
            return self._seal.open(place, sealed)
        except SealBroken:
            return None

    def _leave(self) -> None:
        """Take everything of this machine out of Redis: its key file was removed."""
        if not self._left:
            forget_machine(self._client, self._key, self.machine.id)
            self.mirror.meet({}, {})
            self._left = True
            self._disconnect("this machine left the fleet")

    def _disconnect(self, problem: str) -> None:
        if self._stopped.is_set():
            return
        if problem != self.problem:
            log.warning("this machine works alone: %s", problem)
        self.problem = problem
        if self._connected:
            self._connected = False
            self.mirror.lose_all()

    # What goes on while connected

    def _goes_on(self) -> bool:
        return self._connected and not self._stopped.is_set()

    def _while_connected(self) -> Iterator[None]:
        """Yield once for each time that the fleet can be reached, and survive what Redis does."""
        while not self._stopped.wait(LOOK):
            if self._connected:
                yield

    def _repeat(self, run: Callable[[Callable[[], bool]], None], work: str) -> None:
        from redis.exceptions import RedisError

        for _ in self._while_connected():
            try:
                run(self._goes_on)
            except (RedisError, OSError) as error:
                if self._goes_on():
                    self._disconnect(f"the Redis at {self._key.address} stopped answering")
                    log.info("%s: %s", work, error)
            except Exception:
                # A stop closes the connections of who waits.
                if not self._stopped.is_set():
                    log.exception("%s failed", work)
                    self._stopped.wait(RENEW)

    def _publish(self) -> None:
        transport = self._local.transport(Actor("fleet", self.machine.name))
        publisher = Publisher(self._client, self._keys, self._seal, self.machine.id, transport)
        self._repeat(publisher.run, "publishing")

    def _receive(self) -> None:
        receiver = CallReceiver(
            self._client,
            self._keys,
            self._seal,
            self.machine.id,
            self._local.transport,
            self._calls,
            self.now,
        )
        self._repeat(receiver.run, "receiving calls")

    def _read(self) -> None:
        self._repeat(self._read_streams, "reading other machines")

    def _read_streams(self, goes_on: Callable[[], bool]) -> None:
        """Follow the streams of all other machines, and the replies to our calls."""
        replies = self.caller.stream
        reply_position = b"0"
        while goes_on():
            for machine_id in self.mirror.ids():
                if machine_id not in self.mirror.positions():
                    self._read_state(machine_id)
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
                self._read_state(machine_id)
                return

    def _read_state(self, machine_id: str) -> None:
        """Read the whole state of a machine, with the place in its stream that it stands for."""
        state = self._keys.state(machine_id)
        with self._client.pipeline(transaction=True) as pipe:
            pipe.xrevrange(self._keys.events(machine_id), count=1)
            pipe.hgetall(state)
            last, fields = pipe.execute()
        opened = {
            (name := field.decode("utf-8", "replace")): self._opened(f"{state} {name}", sealed)
            for field, sealed in fields.items()
        }
        position = last[0][0].decode("ascii") if last else "0-0"
        self.mirror.replace(machine_id, position, opened)


def forget_machine(client: Any, key: FleetKey, machine: str) -> None:
    """Remove a machine from the fleet, with all that Redis has of it."""
    keys = Keys(key.fleet)
    with explained(key):
        client.hdel(keys.machines, machine)
        client.delete(*keys.of_machine(machine))
