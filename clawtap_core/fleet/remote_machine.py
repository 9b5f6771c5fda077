"""A machine elsewhere, as its state and its events in Redis describe it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, TypeVar

from clawtap_core.errors import ClawTapError
from clawtap_core.fleet.state_fields import ADAPTERS, PROMPT, QUEUE, SEQ, SESSION, changed_fields
from clawtap_core.model import (
    AdapterStatus,
    Machine,
    MachineState,
    Prompt,
    QueuedMessage,
    RemoteEvent,
    Session,
    SessionState,
)
from clawtap_core.schemas import dump, load

log = logging.getLogger(__name__)
Kind = TypeVar("Kind")


@dataclass
class RemoteMachine:
    """A machine elsewhere; `position` is where its stream was read to, None before the first."""

    id: str
    name: str
    version: str = ""
    process: str = ""
    online: bool = False
    since: datetime | None = None
    position: str | None = None
    seq: int = 0
    adapters: tuple[AdapterStatus, ...] = ()
    adapter_fields: object = None
    sessions: dict[str, Session] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    queues: dict[str, tuple[QueuedMessage, ...]] = field(default_factory=dict)
    # Messages that wait until the machine is back, and how often this process changed them.
    waiting: tuple[QueuedMessage, ...] = ()
    own_changes: int = 0
    # When each session last ended a text, by its machine's clock.
    written: dict[str, datetime] = field(default_factory=dict)
    # Messages that waited too long.
    expired: frozenset[str] = frozenset()

    @property
    def value(self) -> Machine:
        """Return what its sessions carry."""
        state = MachineState.ONLINE if self.online else MachineState.AWAY
        return Machine(self.id, self.name, state)

    def session(self, session_id: str) -> Session:
        """Return a session as seen from here; without its machine it is lost."""
        session = self.sessions[session_id]
        waiting = sum(prompt.session_id == session_id for prompt in self.prompts.values())
        session = replace(
            session,
            machine=self.value,
            pending=waiting,
            queued=len(self.queue(session_id)),
        )
        if self.online or session.state.over:
            return session
        return replace(session, state=SessionState.LOST, detail=self.absence)

    def queue(self, session_id: str) -> tuple[QueuedMessage, ...]:
        """Return the messages that are queued on the machine, and those that wait for it."""
        waiting = (message for message in self.waiting if message.session_id == session_id)
        return (*self.queues.get(session_id, ()), *waiting)

    def shown(self, event: RemoteEvent) -> RemoteEvent:
        """Return an event as clients of this machine see it."""
        data = event.data
        waiting = [one for one in self.waiting if one.session_id == event.session_id]
        if event.type == "session_status":
            queued = data.get("queued", 0) + len(waiting)
            data = {**data, "machine": dump(self.value), "queued": queued}
        elif event.type == "queue_update" and waiting:
            data = {**data, "queue": [*data["queue"], *map(dump, waiting)]}
        # Its number counts in another journal.
        return replace(event, data=data, seq=None)

    @property
    def absence(self) -> str:
        """Return since when the machine cannot be reached, in words."""
        seen = f" since {self.since:%Y-%m-%d %H:%M} UTC" if self.since else ""
        return f"{self.name} cannot be reached{seen}"

    def take_adapters(self, fields: object) -> None:
        """Take over the adapters that it reports every few seconds."""
        if fields != self.adapter_fields and isinstance(fields, list):
            loaded = [load_sound(AdapterStatus, each) for each in fields]
            self.adapters = tuple(status for status in loaded if status)
            self.adapter_fields = fields

    def apply(self, fields: Mapping[str, Any]) -> None:
        """Take over fields of its state; None removes one."""
        for name, value in fields.items():
            kind, _, key = name.partition(":")
            if name == SEQ and isinstance(value, int):
                self.seq = value
            elif name == ADAPTERS and not self.adapters:
                self.take_adapters(value)
            elif kind == SESSION:
                session = load_sound(Session, value) if value else None
                _put(self.sessions, key, session if session and session.id == key else None)
            elif kind == PROMPT:
                prompt = load_sound(Prompt, value) if value else None
                _put(self.prompts, key, prompt if prompt and prompt.request_id == key else None)
            elif kind == QUEUE:
                queue = [load_sound(QueuedMessage, each) for each in value or ()]
                _put(self.queues, key, tuple(each for each in queue if each) or None)


def event_of(machine_id: str, position: str, entry: Mapping[str, Any]) -> RemoteEvent | None:
    """Return the event of an entry in a machine's stream; None if it is unsound."""
    if entry.get("stale"):
        now = datetime.now(timezone.utc)
        return RemoteEvent("snapshot", now, machine_id=machine_id, position=position, stale=True)
    try:
        event = RemoteEvent(
            str(entry["type"]),
            datetime.fromisoformat(entry["at"]),
            entry.get("sessionId"),
            dict(entry["data"]),
            entry.get("seq"),
            machine_id=machine_id,
            position=position,
        )
        changed_fields(event)
    except (KeyError, TypeError, ValueError):
        log.warning("an event of machine %s could not be read", machine_id)
        return None
    return event


def _put(values: dict[str, Kind], key: str, value: Kind | None) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value


def load_sound(kind: type[Kind], value: Any) -> Kind | None:
    """Return a value of another machine; None for an unsound one, with a warning."""
    try:
        return load(kind, value)
    except ClawTapError as error:
        log.warning("a %s of another machine is not sound: %s", kind.__name__, error.message)
        return None
