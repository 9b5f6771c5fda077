"""A mirror of the other machines: their sessions, prompts and queues, as read from Redis.

Every value from Redis is opened and validated first; an unsound one is dropped with a warning.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from operator import attrgetter
from typing import Any, TypeVar

from clawtap_core.fleet.members import Member
from clawtap_core.fleet.remote_machine import RemoteMachine, event_of, load_sound
from clawtap_core.fleet.state_fields import SEQ, changed_fields
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import (
    AdapterStatus,
    Event,
    MachineStatus,
    Prompt,
    QueuedMessage,
    RemoteEvent,
    Session,
    SessionState,
)

log = logging.getLogger(__name__)
Kind = TypeVar("Kind")
_MOST_ENDED = 500
# The field of a note that a state has to be read again: the version of the mirror that has it.
VERSION = "version"
# The time between checks whether a program still waits for its answer.
LISTENS = 1.0


class Mirror:
    """The other machines of the fleet, by id."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._lock = threading.RLock()
        self._machines: dict[str, RemoteMachine] = {}
        self._version = 0
        self._sessions: tuple[int, tuple[Session, ...]] = (0, ())
        self._prompts_changed = threading.Condition(self._lock)
        # An ended prompt is kept: it is asked for once more after its answer.
        self._ended: LimitedDict[str, tuple[str, Prompt]] = LimitedDict(_MOST_ENDED)

    def machines(self) -> list[MachineStatus]:
        """Return the other machines, by name."""
        with self._lock:
            return [
                MachineStatus(
                    machine.value,
                    machine.version,
                    sessions=sum(not s.state.over for s in machine.sessions.values()),
                    pending=len(machine.prompts),
                    since=machine.since,
                    detail=None if machine.online else machine.absence,
                )
                for machine in sorted(self._machines.values(), key=attrgetter("name"))
            ]

    def sessions(self) -> Sequence[Session]:
        """Return every session elsewhere; the list is made once, until something changes.

        With many sessions and clients, making it for each client would take minutes.
        """
        with self._lock:
            version, sessions = self._sessions
            if version != self._version:
                machines = {
                    session_id: self._machine_of(session_id)
                    for machine in self._machines.values()
                    for session_id in machine.sessions
                }
                sessions = tuple(one.session(id_) for id_, one in machines.items() if one)
                self._sessions = self._version, sessions
            return sessions

    def session(self, session_id: str) -> Session | None:
        """Return a session elsewhere."""
        with self._lock:
            machine = self._machine_of(session_id)
            return machine.session(session_id) if machine else None

    def _machine_of(self, session_id: str) -> RemoteMachine | None:
        """Return the machine of a session: that where it is not over, if a copy has it, too."""

        def is_over(machine: RemoteMachine) -> bool:
            return machine.sessions[session_id].state.over

        machines = [one for one in self._machines.values() if session_id in one.sessions]
        return min(machines, key=is_over, default=None)

    def adapters(self) -> list[AdapterStatus]:
        """Return the adapters of all machines, each once, those with their CLI first."""
        with self._lock:
            statuses = [each for one in self._machines.values() for each in one.adapters]
        by_id: dict[str, AdapterStatus] = {}
        for status in sorted(statuses, key=lambda status: not status.installed):
            by_id.setdefault(status.info.id, status)
        return list(by_id.values())

    def learn(self, machine_id: str, session: Session) -> None:
        """Note a session that a machine has just reported in a reply, before its event comes."""
        with self.changing():
            if machine := self._machines.get(machine_id):
                machine.sessions.setdefault(session.id, session)

    def learn_prompt(self, machine_id: str, prompt: Prompt) -> None:
        """Note a prompt that a machine has just reported in a reply, before its event comes."""
        with self.changing():
            machine = self._machines.get(machine_id)
            if machine and prompt.request_id not in self._ended:
                machine.prompts.setdefault(prompt.request_id, prompt)

    def prompts(self) -> list[Prompt]:
        """Return the open prompts elsewhere."""
        with self._lock:
            return [each for one in self._machines.values() for each in one.prompts.values()]

    def prompt(self, name: str) -> tuple[str, Prompt] | None:
        """Return a prompt by its requestId or toolCallId, and the id of its machine."""
        with self._lock:
            open_ones = (
                (machine.id, prompt)
                for machine in self._machines.values()
                for prompt in machine.prompts.values()
            )
            for machine, prompt in (*open_ones, *self._ended.values()):
                if name in (prompt.request_id, prompt.form.tool_call_id):
                    return machine, prompt
        return None

    def wait_for_end(
        self, name: str, seconds: float, listening: Callable[[], bool]
    ) -> tuple[str, Prompt] | None:
        """Return a prompt and its machine once it ends, or after `seconds`.

        None if it is unknown by now: it ended while its machine was away.
        """
        end = time.monotonic() + seconds
        with self._prompts_changed:
            while (entry := self.prompt(name)) and entry[1].state.open and listening():
                left = end - time.monotonic()
                if left <= 0:
                    break
                self._prompts_changed.wait(min(left, LISTENS))
        return entry

    def queue(self) -> list[QueuedMessage]:
        """Return the messages that are queued elsewhere, or wait for their machine."""
        with self._lock:
            return [
                message
                for machine in self._machines.values()
                for session_id in machine.sessions
                if self._machine_of(session_id) is machine
                for message in machine.queue(session_id)
            ]

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change something and count the change; listeners run when the change is complete."""
        with self._lock:
            self._version += 1
            yield

    @property
    def version(self) -> int:
        """Return a number that grows with every change; a note of a stale state carries it."""
        with self._lock:
            return self._version

    def exclusive(self) -> threading.RLock:
        """Return the lock that keeps several reads consistent."""
        return self._lock

    def machine(self, machine_id: str) -> RemoteMachine | None:
        """Return a machine."""
        with self._lock:
            return self._machines.get(machine_id)

    def ids(self) -> list[str]:
        """Return the ids of all machines."""
        with self._lock:
            return list(self._machines)

    def positions(self) -> dict[str, str]:
        """Return where each machine's stream was read to."""
        with self._lock:
            return {one.id: one.position for one in self._machines.values() if one.position}

    def meet(
        self,
        members: Mapping[str, Member],
        online: Mapping[str, Mapping[str, Any]],
        left: Collection[str] = (),
    ) -> None:
        """Update the members of the fleet by id, what those online report, and who `left`.

        A machine that Redis does not mention has not left: Redis may have lost its values.
        """
        now = datetime.now(timezone.utc)
        with self.changing():
            for gone in self._machines.keys() & set(left):
                del self._machines[gone]
                self._note_stale(gone)
            known = {one.id: Member(one.name) for one in self._machines.values()}
            for machine_id, member in {**known, **members}.items():
                name = member.name
                machine = self._machines.setdefault(machine_id, RemoteMachine(machine_id, name))
                presence = online.get(machine_id)
                turned = machine.online != (presence is not None)
                changed = turned or machine.name != name
                machine.name, machine.online = name, presence is not None
                if presence is not None:
                    machine.version = str(presence.get("version", ""))[:40]
                    machine.process = str(presence.get("process", ""))
                    machine.take_adapters(presence.get("adapters"))
                    machine.since = machine.since if not turned and machine.since else now
                elif turned or machine.since is None:
                    machine.since = member.seen or (now if turned else None)
                if changed:
                    self._note_stale(machine_id)

    def lose_all(self) -> None:
        """Record that no machine can be reached, and that all has to be read again."""
        with self.changing():
            for machine in self._machines.values():
                if machine.online:
                    machine.online, machine.since = False, datetime.now(timezone.utc)
                    self._note_stale(machine.id)
                machine.position = None

    def replace(
        self,
        machine_id: str,
        position: str,
        fields: Mapping[str, Any],
        waiting: Iterable[QueuedMessage] = (),
        own_changes: int = 0,
    ) -> bool:
        """Replace what is known of a machine by its whole state, read at a position.

        Where Redis lost that state, what is known stays until the machine publishes it again.
        Return False if this process changed more than `own_changes` waiting messages meanwhile:
        what was read may lack the last change.
        """
        with self.changing():
            if machine := self._machines.get(machine_id):
                if machine.own_changes > own_changes:
                    return False
                machine.position = position
                machine.waiting = tuple(waiting)
                if SEQ in fields:
                    machine.sessions, machine.prompts, machine.queues = {}, {}, {}
                    machine.apply(fields)
                    self._drop_ended(machine)
                    self._prompts_changed.notify_all()
                self._note_stale(machine_id)
            return True

    def apply(self, machine_id: str, position: str, entry: Mapping[str, Any]) -> bool:
        """Take over an event; return False if the whole state has to be read again."""
        with self.changing():
            machine = self._machines.get(machine_id)
            event = event_of(machine_id, position, entry)
            if machine is None:
                return True
            if event is None or event.stale:
                return False
            # A gap: an event was lost, or trimmed from the stream.
            if event.seq is not None and event.seq != machine.seq + 1:
                return False
            machine.position = position
            if event.type == "prompt_resolved" and (ended := load_sound(Prompt, event.data)):
                self.remember(machine_id, ended)
            machine.apply(changed_fields(event))
            self._drop_ended(machine)
            if event.type == "session_removed":
                machine.written.pop(event.session_id or "", None)
            elif event.session_id and _ends_text(event):
                machine.written[event.session_id] = event.at
            machine.seq = event.seq or machine.seq
            if event.session_id:
                self._publish(machine.shown(event))
            return True

    def remember(self, machine_id: str, prompt: Prompt) -> None:
        """Keep a prompt that ended, so that a late event does not open it again."""
        with self.changing():
            self._ended[prompt.request_id] = (machine_id, prompt)
            if machine := self._machines.get(machine_id):
                self._drop_ended(machine)
            self._prompts_changed.notify_all()

    def _drop_ended(self, machine: RemoteMachine) -> None:
        """Drop open prompts that have ended: a reply with the end overtakes events before it."""
        for request_id in machine.prompts.keys() & self._ended.keys():
            # A copy of a machine's data folder has its prompts, too, and ends them.
            if self._ended[request_id][0] == machine.id:
                del machine.prompts[request_id]

    def wrote_until(self, machine_id: str, session_id: str, at: datetime) -> bool:
        """Return whether a text of this time belongs to a message that came since."""
        with self._lock:
            machine = self._machines.get(machine_id)
            end = machine.written.get(session_id) if machine else None
            return end is not None and at <= end

    def note_waiting(self, machine_id: str, message: QueuedMessage) -> None:
        """Record a message that was just left, before its machine's events report it."""
        with self.changing():
            if machine := self._machines.get(machine_id):
                waiting = {each.id: each for each in (*machine.waiting, message)}
                machine.waiting = tuple(waiting.values())
                machine.own_changes += 1

    def note_taken_back(self, machine_id: str, message_id: str) -> None:
        """Record that a message no longer waits, before its machine's events report it."""
        with self.changing():
            if machine := self._machines.get(machine_id):
                machine.waiting = tuple(one for one in machine.waiting if one.id != message_id)
                machine.own_changes += 1

    def own_changes(self, machine_id: str) -> int:
        """Return how often this process has changed what waits for a machine."""
        with self._lock:
            machine = self._machines.get(machine_id)
            return machine.own_changes if machine else 0

    def waits(self, machine_id: str, message_id: str) -> bool:
        """Return whether a message waits until its machine is back."""
        with self._lock:
            machine = self._machines.get(machine_id)
            return machine is not None and any(one.id == message_id for one in machine.waiting)

    def has_waiting(self, session_id: str) -> bool:
        """Return whether a message to a session waits until its machine takes it."""
        with self._lock:
            return any(
                message.session_id == session_id and message.id not in machine.expired
                for machine in self._machines.values()
                for message in machine.waiting
            )

    def has_ended(self, session_id: str) -> bool:
        """Return whether a session was over when its machine was last seen."""
        with self._lock:
            machine = self._machine_of(session_id)
            return machine is not None and machine.sessions[session_id].state.over

    def note_expired(self, now: datetime) -> None:
        """Mark the messages that have waited too long."""
        with self.changing():
            for machine in self._machines.values():
                expired = frozenset(
                    one.id for one in machine.waiting if one.until and one.until <= now
                )
                if expired != machine.expired:
                    machine.expired = expired
                    self._note_stale(machine.id)

    def note_changed(self) -> None:
        """Let clients read the whole state again, whatever machine it is about."""
        with self.changing():
            self._note_stale("")

    def _note_stale(self, machine_id: str) -> None:
        now = datetime.now(timezone.utc)
        data = {VERSION: self._version}
        self._publish(
            RemoteEvent("snapshot", now, data=data, machine_id=machine_id, position="", stale=True)
        )


def _ends_text(event: Event) -> bool:
    role, state = event.data.get("role"), event.data.get("state")
    return (event.type == "message" and role != "user") or (
        event.type == "session_status" and state != SessionState.BUSY.value
    )


def by_activity(sessions: Iterable[Session]) -> list[Session]:
    """Sort sessions, latest activity first."""
    return sorted(sessions, key=lambda session: session.last_activity, reverse=True)
