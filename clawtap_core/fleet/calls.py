"""Calls between machines: a stream of calls, a stream of replies, each call carried out once.

The machine removes a call before it carries it out, and the caller removes one that the machine
does not begin. Redis says who was first, so the caller knows that nothing was done.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clawtap_core import __version__
from clawtap_core.errors import (
    ClawTapError,
    Conflict,
    ErrorCode,
    NotConfirmed,
    TooManyRequests,
    Unavailable,
)
from clawtap_core.fleet.call_log import CallLog
from clawtap_core.fleet.key_types import is_wrong_type, wrong_stream
from clawtap_core.fleet.keys import MOST_CALLS, REPLIES_TTL
from clawtap_core.fleet.operations import (
    READS,
    RECORDS,
    decode_error,
    decode_result,
    encode_arguments,
    encode_error,
    perform,
)
from clawtap_core.fleet.redis_client import FleetRedis, explain, is_certain
from clawtap_core.fleet.seal import SealBroken
from clawtap_core.model import Actor
from clawtap_core.transport import Transport

log = logging.getLogger(__name__)
GROUP = "owner"
# The latest time by which any caller may ask a call to begin.
LONGEST = 600.0
_MOST_AT_ONCE = 64


class Caller:
    """Sends calls to other machines and waits for their replies.

    `now` is Redis's time in milliseconds; `process` returns a mark of the process that is present
    for a machine, None while it cannot be reached.
    """

    def __init__(
        self,
        redis: FleetRedis,
        now: Callable[[], int],
        process: Callable[[str], str | None],
    ) -> None:
        self._key, self._client = redis.key, redis.client
        self._keys, self._seal, self._timings = redis.keys, redis.seal, redis.timings
        self._now, self._process = now, process
        self.id = secrets.token_hex(8)
        self.stream = redis.keys.replies(self.id)
        self._waiting: dict[str, _Reply] = {}
        # Until when no call that only reads is sent to a machine that did not answer.
        self._silent: dict[str, float] = {}

    def call(
        self, machine: str, name: str, actor: Actor, operation: str, arguments: Mapping[str, Any]
    ) -> Any:
        """Return what the method returned on the machine called `name`, or raise its error.

        Unavailable means that nothing was done, NotConfirmed that this is not known.
        """
        from redis.exceptions import RedisError

        reads = operation in READS
        if reads and self._silent.get(machine, 0) > time.monotonic():
            raise _not_done(name)
        begins, ends = self._patience(operation)
        call_id = secrets.token_hex(8)
        call = {
            "id": call_id,
            "deadline": self._now() + int(self._timings.call_begins * 1000),
            "actor": {"by": actor.by, "device": actor.device, "deviceId": actor.device_id},
            "operation": operation,
            "arguments": encode_arguments(arguments),
            "replyTo": self.id,
        }
        reply = self._waiting[call_id] = _Reply()
        process = self._process(machine)
        try:
            sent = self._send(machine, call)
            if not reply.arrived.wait(begins):
                self._silent[machine] = time.monotonic() + self._timings.read_ends
                withdrawn = not reads and self._withdraw(machine, sent)
                if reads or (withdrawn and sent.once):
                    raise _not_done(name)
                if not withdrawn:
                    self._wait(reply, machine, process, ends)
        except (RedisError, OSError) as error:
            raise _no_reply(name, operation) from error
        finally:
            del self._waiting[call_id]
        if reply.fields is None:
            raise _no_reply(name, operation)
        return _result(operation, reply.fields)

    def _patience(self, operation: str) -> tuple[float, float]:
        """Return how long to wait for a call to begin, and for the reply once it has."""
        timings = self._timings
        if operation in READS:
            return timings.read_ends, 0.0
        if operation in RECORDS:
            return timings.record_begins, timings.record_ends
        begins = timings.message_begins if operation == "message" else timings.call_begins
        return begins, timings.call_ends

    def _send(self, machine: str, call: Mapping[str, Any]) -> _Sent:
        """Add a call; raise Unavailable if Redis has certainly none.

        If the connection ends before Redis replies, the call is added once more: its machine
        carries out one call of an id only.
        """
        from redis.exceptions import ConnectionError as Broken
        from redis.exceptions import RedisError

        stream = self._keys.calls(machine)
        fields = {"c": self._seal.close(stream, call)}

        def add() -> bytes:
            entry: bytes = self._client.xadd(stream, fields, maxlen=MOST_CALLS, approximate=True)
            return entry

        try:
            return _Sent(add())
        except (RedisError, OSError) as error:
            if is_certain(error):
                if is_wrong_type(error):
                    raise wrong_stream(self._key, stream) from error
                raise explain(self._client, self._key, error) from error
            if not isinstance(error, Broken):
                raise
        return _Sent(add(), once=False)

    def _withdraw(self, machine: str, sent: _Sent) -> bool:
        """Remove a call; return False if the machine was first, and carries it out."""
        return bool(self._client.xdel(self._keys.calls(machine), sent.entry))

    def _wait(self, reply: _Reply, machine: str, process: str | None, seconds: float) -> None:
        """Wait for the reply to a call that has begun, while this process can give it."""
        end = time.monotonic() + seconds
        while not reply.arrived.wait(min(self._timings.new_entries, end - time.monotonic())):
            if time.monotonic() >= end or self._process(machine) != process:
                return

    def take(self, entry: Mapping[bytes, bytes]) -> None:
        """Hand a reply to the thread that waits for it."""
        try:
            call_id = entry[b"i"].decode("ascii")
            reply = self._waiting.get(call_id)
            if reply:
                reply.fields = self._seal.open(f"{self.stream} {call_id}", entry.get(b"r"))
                reply.arrived.set()
        except (SealBroken, KeyError, UnicodeDecodeError):
            log.warning("a reply of another machine could not be read")


@dataclass(frozen=True, slots=True)
class _Sent:
    """The entry of a call in its machine's stream; without `once`, there may be another."""

    entry: bytes
    once: bool = True


class _Reply:
    """The place of one expected reply."""

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.fields: Any = None


class CallReceiver:
    """Carries out the calls to one machine through `local`, each in a thread of its own.

    `pause` waits for some seconds, and returns True once the process stops.
    """

    def __init__(
        self,
        redis: FleetRedis,
        machine: str,
        local: Callable[[Actor], Transport],
        calls: CallLog,
        now: Callable[[], int],
        pause: Callable[[float], bool],
    ) -> None:
        self._pause = pause
        self._client, self._keys, self._seal = redis.client, redis.keys, redis.seal
        self._timings = redis.timings
        self._stream = redis.keys.calls(machine)
        self._local, self._calls, self._now = local, calls, now
        self._places = threading.Semaphore(_MOST_AT_ONCE)

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Receive calls until stopped; errors of Redis are raised."""
        from redis.exceptions import ResponseError

        try:
            self._client.xgroup_create(self._stream, GROUP, id="0", mkstream=True)
        except ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise
        # Calls that were received but not confirmed before a restart come first.
        position = "0"
        while keep_running():
            block = int(self._timings.new_entries * 1000) if position == ">" else None
            streams = {self._stream: position}
            reply = self._client.xreadgroup(GROUP, "machine", streams, count=20, block=block)
            entries = reply[0][1] if reply else []
            if not entries:
                position = ">"
            for entry_id, fields in entries:
                self._receive(entry_id, fields or {})

    def _receive(self, entry_id: bytes, fields: Mapping[bytes, bytes]) -> None:
        try:
            call = self._seal.open(self._stream, fields.get(b"c"))
            call_id, reply_to = str(call["id"]), str(call["replyTo"])
            deadline = min(int(call["deadline"]), self._now() + int(LONGEST * 1000))
            in_time = self._calls.begin(call_id, deadline, self._now())
        except KeyError:
            in_time, call = None, None
        except (SealBroken, TypeError, ValueError):
            if fields:  # without fields, it was withdrawn
                log.warning("a call of another machine could not be read")
            in_time, call = None, None
        try:
            removed = self._remove(entry_id)
        except Exception:
            # Perhaps it was removed: nobody will carry it out, and its caller cannot withdraw it.
            if call is not None:
                lost = Unavailable(
                    "the session's machine lost its Redis before it began; nothing was done, try"
                    " again",
                    code=ErrorCode.MACHINE_AWAY,
                )
                self._reply(reply_to, call_id, {"error": encode_error(lost)})
            raise
        # Of the caller, who may withdraw it, and this machine, only one removes it.
        if call is None or not removed:
            return
        if not in_time:
            late = Conflict(
                "this came too late to be carried out; try again", code=ErrorCode.CALL_TOO_LATE
            )
            self._reply(reply_to, call_id, {"error": encode_error(late)})
        elif not self._places.acquire(blocking=False):
            busy = TooManyRequests("too many calls to this machine at once; try again")
            self._reply(reply_to, call_id, {"error": encode_error(busy)})
        else:
            threading.Thread(
                target=self._carry_out, args=(call, call_id, reply_to), daemon=True
            ).start()

    def _remove(self, entry_id: bytes) -> bool:
        with self._client.pipeline(transaction=True) as pipe:
            pipe.xack(self._stream, GROUP, entry_id)
            pipe.xdel(self._stream, entry_id)
            return bool(pipe.execute()[1])

    def _carry_out(self, call: Mapping[str, Any], call_id: str, reply_to: str) -> None:
        try:
            actor = call["actor"]
            transport = self._local(
                Actor(str(actor["by"]), str(actor["device"]), str(actor["deviceId"]))
            )
            operation = str(call["operation"])
            reply = {"result": perform(transport, operation, call["arguments"], __version__)}
        except ClawTapError as error:
            reply = {"error": encode_error(error)}
        except Exception:
            log.exception("a call of another machine failed")
            failed = ClawTapError("the session's machine failed; its log says why")
            reply = {"error": encode_error(failed)}
        finally:
            self._places.release()
        self._reply(reply_to, call_id, reply)

    def _reply(self, reply_to: str, call_id: str, reply: Mapping[str, Any]) -> None:
        """Send a reply; if Redis does not take it, again later, while its caller waits."""
        stream = self._keys.replies(reply_to)
        entry = {"i": call_id, "r": self._seal.close(f"{stream} {call_id}", reply)}
        if not self._try_to_send(stream, entry):
            threading.Thread(target=self._reply_later, args=(stream, entry), daemon=True).start()

    def _reply_later(self, stream: str, entry: Mapping[str, Any]) -> None:
        end = time.monotonic() + self._timings.call_ends
        while time.monotonic() < end:
            # The caller takes the first, should a reply arrive twice.
            if self._try_to_send(stream, entry) or self._pause(self._timings.new_entries):
                return
        # The caller reports that it does not know the outcome.
        log.warning("a call was carried out, but Redis did not take the reply")

    def _try_to_send(self, stream: str, entry: Mapping[str, Any]) -> bool:
        from redis.exceptions import RedisError

        try:
            with self._client.pipeline(transaction=True) as pipe:
                pipe.xadd(stream, dict(entry), maxlen=MOST_CALLS, approximate=True)
                pipe.pexpire(stream, REPLIES_TTL * 1000)
                pipe.execute()
        except (RedisError, OSError):
            return False
        return True


def _not_done(name: str) -> ClawTapError:
    return Unavailable(f"{name} does not answer", code=ErrorCode.MACHINE_AWAY)


def _no_reply(name: str, operation: str) -> ClawTapError:
    if operation in READS:
        return _not_done(name)
    return NotConfirmed(
        f"{name} did not report whether this was done; look at the session once {name} is back",
        code=ErrorCode.CALL_NOT_CONFIRMED,
    )


def _result(operation: str, fields: Any) -> Any:
    try:
        if "error" in fields:
            raise decode_error(fields["error"])
        return decode_result(operation, fields["result"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unavailable("the session's machine sent a reply that cannot be read") from error
