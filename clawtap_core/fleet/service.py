"""This machine's part in the fleet: its presence, its events, and the calls that it receives.

Without Redis this machine works alone, and `problem` says why.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from clawtap_core import __version__
from clawtap_core.config import Settings
from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable
from clawtap_core.fleet.call_log import CallLog
from clawtap_core.fleet.calls import CallReceiver
from clawtap_core.fleet.key_box import KeyBox
from clawtap_core.fleet.key_file import FleetKey, read_machine_id, write_key
from clawtap_core.fleet.key_types import HASH, STREAM
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.last_process import LastProcess
from clawtap_core.fleet.live_publisher import LivePublisher
from clawtap_core.fleet.members import LEFT, member_fields
from clawtap_core.fleet.publisher import Publisher
from clawtap_core.fleet.redis_client import LOST_VALUES, explained
from clawtap_core.fleet.rekey import remove_rekeyed, take_handover
from clawtap_core.fleet.seal import Seal
from clawtap_core.fleet.timings import FLEET_TIMINGS, FleetTimings
from clawtap_core.fleet.view import FleetView, Local, Worker
from clawtap_core.fleet.waiting_delivery import WaitingDelivery
from clawtap_core.model import Actor, Machine, MachineStatus
from clawtap_core.schemas import dump
from clawtap_core.transport import Transport

log = logging.getLogger(__name__)
# How long Redis keeps what is left of a fleet when its last machine has left.
REST_SECONDS = 86_400


class Fleet(FleetView):
    """The fleet, as one of its machines sees it."""

    alone = "this machine works alone"

    def __init__(
        self,
        settings: Settings,
        key: FleetKey,
        local: Local,
        *,
        timings: FleetTimings = FLEET_TIMINGS,
    ) -> None:
        super().__init__(settings, key, local, timings=timings)
        folder = Path(settings.data_dir)
        self.machine = Machine(read_machine_id(folder), self.name, here=True)
        self._calls = CallLog(folder / "fleet-calls.db")
        # The process that is present under our id: this one, or before it that of `_last`.
        self._process = secrets.token_hex(8)
        self._last = LastProcess(folder)
        self._foreign_since = 0.0
        self._box = KeyBox()
        self._since = datetime.now(timezone.utc)

    def close(self, seconds: float = 5.0) -> None:
        """Stop, and tell the others that this machine is away; the runtime has closed before."""
        was_connected, self._connected = self._connected, False
        self._stopped.set()
        if was_connected and not self._left:
            try:
                self._client.delete(self._keys.machine(self.machine.id))
            except Exception:
                log.info("the fleet was left without a word: Redis does not answer")
        super().close(seconds)
        may_have_written = was_connected or self._left or self.problem == LOST_VALUES
        if may_have_written and not self._key_file.exists():
            # It left, and publishes until it notices; a worker may end a moment later still.
            with suppress(ClawTapError):
                forget_machine(self._client, self._key, self.machine.id)
            self._client.close()
        self._calls.close()

    @property
    def here(self) -> Machine | None:
        """Return this machine as its sessions show it; None while there is no other."""
        return self.machine if self.mirror.ids() else None

    @property
    def own_id(self) -> str:
        """Return the id of this machine."""
        return self.machine.id

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

    # Presence

    def _claim(self) -> None:
        """Renew our presence; raise Unavailable while another process has our id."""
        key = self._keys.machine(self.machine.id)
        holder = (self._client.hget(key, "process") or b"").decode("ascii", "replace")
        if holder not in ("", self._process, self._last.read()):
            self._foreign_since = self._foreign_since or time.monotonic()
            # It is our own from before a crash, unless it is renewed.
            own_trace = self._timings.away + self._timings.renewal
            if time.monotonic() - self._foreign_since > own_trace:
                raise Unavailable(
                    "another machine of the fleet uses this machine's id, as a copied data folder"
                    f" has it; remove {self._key_file.parent / 'machine-id'} on one of them and"
                    " restart it",
                    code=ErrorCode.MACHINE_TWICE,
                )
            raise Unavailable("this machine's id is still in use", code=ErrorCode.MACHINE_TWICE)
        self._foreign_since = 0.0
        adapters = [dump(each) for each in self._local.transport(Actor()).adapters()]
        presence = {
            "name": self.machine.name,
            "version": __version__,
            "adapters": adapters,
            "box": self._box.public,
        }
        sealed = self._seal.close(key, presence)
        listed = self._seal.close(
            f"{self._keys.machines} {self.machine.id}",
            member_fields(self.machine.name, self.now()),
        )
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hset(key, mapping={"process": self._process, "is": sealed})
            pipe.pexpire(key, int(self._timings.away * 1000))
            pipe.hset(self._keys.machines, self.machine.id, listed)
            if holder != self._process:
                # The last machine may have left before this one came.
                for name in self._keys.shared:
                    pipe.persist(name)
            pipe.execute()
        if holder != self._process:
            self._last.write(self._process)

    def _own_keys(self) -> dict[str, str]:
        """Return the types of the keys that this process needs and not every other."""
        calls, handover = self._keys.calls(self.machine.id), self._keys.handover
        return {self.caller.stream: STREAM, calls: STREAM, handover: HASH}

    def _take_new_key(self) -> bool:
        """Put a new fleet key that was left for this machine into its key file."""
        text = take_handover(self._client, self._key, self.machine.id, self._box.open)
        if not text or text == self._key.text:
            return False
        write_key(self._key_file, FleetKey.parse(text, self._key.redis_url))
        return True

    def _lost(self) -> bool:
        return not self._client.hget(self._keys.state(self.machine.id), "seq")

    def _leave(self) -> None:
        """Take everything of this machine out of Redis: its key file was removed."""
        # Again each time until it stops: a worker may have written after the first time.
        super()._leave()
        forget_machine(self._client, self._key, self.machine.id)

    # The workers of a connection

    def _workers(self) -> dict[str, Callable[[], Worker]]:
        def own_transport() -> Transport:
            return self._local.transport(Actor("fleet", self.machine.name))

        def pause() -> None:
            self._stopped.wait(self._timings.renewal)

        return {
            **super()._workers(),
            "publishing": lambda: Publisher(self._redis, self.machine.id, own_transport()),
            "publishing what sessions show": lambda: LivePublisher(
                self._redis, self.machine.id, own_transport(), self._stopped.wait
            ),
            "receiving calls": lambda: CallReceiver(
                self._redis,
                self.machine.id,
                self._local.transport,
                self._calls,
                self.now,
                self._stopped.wait,
            ),
            "delivering messages that waited": lambda: WaitingDelivery(
                self.waiting, self.machine.id, self._local, self._calls, self.now, pause
            ),
        }


def forget_machine(client: Any, key: FleetKey, machine: str) -> None:
    """Remove a machine from the fleet, with all that Redis has of it; "" for a hub, which has none.

    Once no machine is left, the rest of the fleet goes after a while. Whoever still uses it, such
    as a running hub, learns until then who left, and gives Redis back what it lost.
    """
    keys, seal = Keys(key.fleet), Seal(key.secret)
    with explained(client, key):
        if remove_rekeyed(client, key, [machine] if machine else []):
            return
        if machine:
            client.hset(keys.machines, machine, seal.close(f"{keys.machines} {machine}", LEFT))
            client.delete(*keys.of_machine(machine))
        _let_rest_expire(client, keys, seal)


def _let_rest_expire(client: Any, keys: Keys, seal: Seal) -> None:
    """Let Redis drop what belongs to no single machine, if no machine is left that needs it."""
    from redis.exceptions import WatchError

    with client.pipeline(transaction=True) as pipe:
        # A machine that joins meanwhile changes the list, and keeps all of it.
        pipe.watch(keys.machines)
        members = seal.read_fields(keys.machines, pipe.hgetall(keys.machines))
        if any(entry is not LEFT for entry in members.values()):
            return
        pipe.multi()
        for name in keys.shared:
            pipe.pexpire(name, REST_SECONDS * 1000)
        with suppress(WatchError):
            pipe.execute()
