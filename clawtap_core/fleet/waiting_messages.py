"""Messages that wait in Redis for a machine that is away.

Each is a field of one hash of that machine. It ends once, taken by the machine or taken back by a
user: the field `end:MESSAGE` says which came first. The process that stored a message or an end
keeps a copy in a file, and puts back what Redis loses.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from clawtap_core.errors import (
    ClawTapError,
    Conflict,
    ErrorCode,
    NotConfirmed,
    NotFound,
    TooManyRequests,
    message_not_found,
)
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.keys import MOST_EVENTS, Keys
from clawtap_core.fleet.redis_client import explained, is_certain
from clawtap_core.fleet.seal import Seal
from clawtap_core.model import Actor, QueuedMessage
from clawtap_core.schemas import dump, load
from clawtap_core.system.atomic_file import replace_file

log = logging.getLogger(__name__)
# How long a message waits for its machine.
WAIT = timedelta(days=1)
# How long after that an unsent message is shown, and its end remembered.
REMEMBER = timedelta(days=7)
MOST_WAITING = 100
TAKEN, TAKEN_BACK = "taken", "taken back"
_END = "end:"


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A message with `until`, who wrote it, and how often it was changed since."""

    message: QueuedMessage
    actor: Actor
    edits: int = 0

    @property
    def fields(self) -> dict[str, Any]:
        """Return it as JSON."""
        actor = {"by": self.actor.by, "device": self.actor.device, "deviceId": self.actor.device_id}
        return {"message": dump(self.message), "actor": actor, "edits": self.edits}

    @property
    def until(self) -> datetime:
        """Return until when it is sent."""
        return self.message.until or self.message.queued_at


def waiting_message(fields: object) -> WaitingMessage | None:
    """Return the message of a field; None if it is unsound."""
    try:
        if isinstance(fields, Mapping):
            message = load(QueuedMessage, fields["message"])
            actor = fields["actor"]
            author = Actor(str(actor["by"]), str(actor["device"]), str(actor["deviceId"]))
            return WaitingMessage(replace(message, attachments=()), author, _edits(fields))
    except (ClawTapError, KeyError, TypeError):
        log.warning("a message that waits for a machine is not sound")
    return None


def waiting_messages(fields: Mapping[str, Any]) -> list[WaitingMessage]:
    """Return the messages of a hash that have not ended, oldest first."""
    messages = (
        waiting_message(value)
        for name, value in fields.items()
        if not name.startswith(_END) and f"{_END}{name}" not in fields
    )
    return sorted(
        (waiting for waiting in messages if waiting),
        key=lambda waiting: (waiting.message.queued_at, waiting.message.id),
    )


class WaitingMessages:
    """The messages that wait for the machines of a fleet; `path` is the file of our copies."""

    def __init__(self, client: Any, key: FleetKey, path: Path) -> None:
        self._client, self._key = client, key
        self._keys, self._seal = Keys(key.fleet), Seal(key.secret)
        self._copies = _Copies(path)

    def read(self, machine: str) -> list[WaitingMessage]:
        """Return what waits for a machine, oldest first; Unavailable without Redis."""
        with explained(self._client, self._key):
            return waiting_messages(self._opened(machine, self._client))

    def add(self, machine: str, waiting: WaitingMessage) -> None:
        """Let a message wait; TooManyRequests, Unavailable, or NotConfirmed without a reply."""
        if len(self.read(machine)) >= MOST_WAITING:
            raise TooManyRequests(f"{MOST_WAITING} messages wait for this machine already")
        message_id = waiting.message.id
        self._copies.put(machine, message_id, waiting.fields)
        try:
            with (
                explained(self._client, self._key),
                self._client.pipeline(transaction=True) as pipe,
            ):
                self._put(pipe, machine, {message_id: waiting.fields})
                pipe.execute()
        except ClawTapError as error:
            self._copies.drop(machine, message_id)
            # A transaction that Redis refuses fails as a whole, unless a key has the wrong type.
            refused = error.__cause__ and is_certain(error.__cause__)
            if refused and error.code != ErrorCode.REDIS_WRONG_TYPE:
                raise
            raise NotConfirmed(
                "it is not known whether the message waits; look at the queue before you send it"
                " again",
                code=ErrorCode.CALL_NOT_CONFIRMED,
            ) from error

    def edit(self, machine: str, message_id: str, text: str) -> QueuedMessage:
        """Change a message, unless its machine has taken it."""

        def change(pipe: Any) -> WaitingMessage:
            waiting = self._waiting(machine, message_id, pipe)
            message = replace(waiting.message, message=text)
            edited = replace(waiting, message=message, edits=waiting.edits + 1)
            pipe.multi()
            self._put(pipe, machine, {message_id: edited.fields})
            return edited

        edited: WaitingMessage = self._change(machine, change)
        # The process that stored the message may not know of its change when Redis loses all.
        self._copies.put(machine, message_id, edited.fields)
        return edited.message

    def take_back(self, machine: str, message_id: str) -> None:
        """Remove a message, unless its machine has taken it."""
        end = self._end(machine, message_id, TAKEN_BACK)
        self._copies.drop(machine, message_id)
        # The process that stored the message may not know of its end yet when Redis loses all.
        self._copies.put(machine, f"{_END}{message_id}", end)

    def take(self, machine: str, message_id: str) -> bool:
        """Take a message for its machine; return False if a user was first."""
        try:
            self._end(machine, message_id, TAKEN)
        except (NotFound, Conflict):
            return False
        return True

    def taken(self, machine: str) -> list[WaitingMessage]:
        """Return what the machine took and did not finish."""
        with explained(self._client, self._key):
            fields = self._opened(machine, self._client)
        ends = {name for name, end in fields.items() if _how_ended(end) == TAKEN}
        unended = {name: value for name, value in fields.items() if not name.startswith(_END)}
        return waiting_messages(
            {name: value for name, value in unended.items() if f"{_END}{name}" in ends}
        )

    def finish(self, machine: str, message_id: str) -> None:
        """Remove a message that the machine took, and the ends that nobody needs any more."""
        with explained(self._client, self._key):
            fields = self._opened(machine, self._client)
            over = [name for name, value in fields.items() if _is_over(value)]
            with self._client.pipeline(transaction=True) as pipe:
                pipe.hdel(self._keys.waiting(machine), message_id, *over)
                self._note_change(pipe, machine)
                pipe.execute()

    def repair(self, left: Collection[str] = ()) -> None:
        """Put back what Redis lost of ours, and let our copies follow what changed or ended.

        What waits for a machine that left stays out of Redis until the machine joins again.
        """
        for machine in self._copies.machines():
            copies = self._copies.of(machine)
            if machine in left:
                self._set_aside(machine, copies)
                continue

            def change(pipe: Any, machine: str = machine, copies: Any = copies) -> None:
                there = self._opened(machine, pipe)
                ended = {
                    name
                    for name, value in copies.items()
                    if f"{_END}{name}" in there or _is_over(value)
                }
                lost, changed = {}, {}
                for name in copies.keys() - ended:
                    if name not in there or _edits(there[name]) < _edits(copies[name]):
                        lost[name] = copies[name]
                    elif _edits(there[name]) > _edits(copies[name]):
                        changed[name] = there[name]
                pipe.multi()
                if lost:
                    self._put(pipe, machine, lost)
                for name, value in changed.items():
                    self._copies.put(machine, name, value)
                for name in ended:
                    self._copies.drop(machine, name)

            self._change(machine, change)

    def _set_aside(self, machine: str, copies: Mapping[str, Any]) -> None:
        # A process that had not heard yet that the machine left may have stored a message.
        with explained(self._client, self._key):
            self._client.delete(*self._keys.of_machine(machine))
        for name, value in copies.items():
            if _is_over(value):
                self._copies.drop(machine, name)

    def _waiting(self, machine: str, message_id: str, client: Any) -> WaitingMessage:
        fields = self._opened(machine, client)
        if _how_ended(fields.get(f"{_END}{message_id}")) == TAKEN:
            raise Conflict(
                "its machine is back and has taken this message", code=ErrorCode.MESSAGE_SENDING
            )
        for waiting in waiting_messages(fields):
            if waiting.message.id == message_id:
                return waiting
        raise message_not_found(message_id)

    def _end(self, machine: str, message_id: str, how: str) -> dict[str, Any]:
        """End a message; a taken one stays until its machine has it in its journal."""

        def change(pipe: Any) -> dict[str, Any]:
            waiting = self._waiting(machine, message_id, pipe)
            end = {"end": how, "until": waiting.until.isoformat()}
            pipe.multi()
            self._put(pipe, machine, {f"{_END}{message_id}": end})
            if how != TAKEN:
                pipe.hdel(self._keys.waiting(machine), message_id)
            return end

        end: dict[str, Any] = self._change(machine, change)
        return end

    def _change(self, machine: str, change: Any) -> Any:
        """Carry out a transaction, again if others change the same messages."""
        with explained(self._client, self._key):
            return self._client.transaction(
                change, self._keys.waiting(machine), value_from_callable=True
            )

    def _put(self, pipe: Any, machine: str, values: Mapping[str, Any]) -> None:
        key = self._keys.waiting(machine)
        sealed = {name: self._seal.close(f"{key} {name}", value) for name, value in values.items()}
        pipe.hset(key, mapping=sealed)
        self._note_change(pipe, machine)

    def _note_change(self, pipe: Any, machine: str) -> None:
        """Let every process read the machine's state and waiting messages again."""
        events = self._keys.events(machine)
        entry = {"e": self._seal.close(events, {"stale": True})}
        pipe.xadd(events, entry, maxlen=MOST_EVENTS, approximate=True)

    def _opened(self, machine: str, client: Any) -> dict[str, Any]:
        key = self._keys.waiting(machine)
        values = self._seal.read_fields(key, client.hgetall(key))
        if None in values.values():
            log.warning("a message that waits for a machine could not be read")
        return {name: value for name, value in values.items() if value is not None}


def _edits(fields: Mapping[str, Any]) -> int:
    edits = fields.get("edits")
    return edits if isinstance(edits, int) else 0


def _how_ended(end: object) -> object:
    return end.get("end") if isinstance(end, Mapping) else None


def _is_over(fields: object) -> bool:
    """Return whether a message or an end need no longer be remembered."""
    waiting = waiting_message(fields) if _how_ended(fields) is None else None
    try:
        until = waiting.until if waiting else datetime.fromisoformat(fields["until"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError):
        return True
    return until + REMEMBER < datetime.now(timezone.utc)


class _Copies:
    """What this process put into Redis, by machine and field, in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            self._fields = {str(machine): dict(fields) for machine, fields in kept.items()}
        except FileNotFoundError:
            self._fields = {}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            log.warning("%s is damaged (%s)", path, error)
            self._fields = {}

    def machines(self) -> list[str]:
        with self._lock:
            return list(self._fields)

    def of(self, machine: str) -> dict[str, Any]:
        with self._lock:
            return dict(self._fields.get(machine, {}))

    def put(self, machine: str, name: str, value: Mapping[str, Any]) -> None:
        with self._lock:
            self._fields.setdefault(machine, {})[name] = dict(value)
            self._write()

    def drop(self, machine: str, name: str) -> None:
        with self._lock:
            if self._fields.get(machine, {}).pop(name, None) is not None:
                self._fields = {each: fields for each, fields in self._fields.items() if fields}
                self._write()

    def _write(self) -> None:
        try:
            replace_file(self._path, json.dumps(self._fields).encode())
        except OSError as error:
            log.warning("what waits in Redis is not kept in %s: %s", self._path, error)
