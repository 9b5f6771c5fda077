"""The types of a fleet's keys in Redis, and the keys in which another program left something else.

Redis itself does not say which key of a command has the wrong type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.keys import Keys

STRING, HASH, STREAM = "string", "hash", "stream"
# A command that fails for a key of another type, by the type that the key should have.
_PROBES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    STRING: ("GET", ()),
    HASH: ("HGET", ("field",)),
    STREAM: ("XRANGE", ("-", "+", "COUNT", "1")),
}


def is_wrong_type(error: object) -> bool:
    """Return whether Redis refused a command because of a key's type."""
    return isinstance(error, Exception) and "WRONGTYPE" in str(error)


def check_types(client: Any, key: FleetKey, own: Mapping[str, str] | None = None) -> None:
    """Raise Unavailable for a key with a value of another type; errors of Redis are raised.

    `own` are keys that this process needs, with their types, besides those that all processes do.
    """
    keys = Keys(key.fleet)
    _check(client, key, {keys.proof: STRING, keys.machines: HASH, **(own or {})})
    types: dict[str, str] = {}
    for machine in _machines(client, keys):
        hashes = (keys.machine(machine), keys.state(machine), keys.waiting(machine))
        types |= {**dict.fromkeys(hashes, HASH), keys.events(machine): STREAM}
    _check(client, key, types)


def wrong_type(client: Any, key: FleetKey) -> Unavailable:
    """Return the error that names the key for which Redis refused a command."""
    from redis.exceptions import RedisError

    keys = Keys(key.fleet)
    try:
        check_types(client, key, dict.fromkeys((keys.devices, keys.codes, keys.handover), HASH))
    except Unavailable as error:
        return error
    except (RedisError, OSError):
        pass  # the general sentence has to do
    return _error(key, f"a key {keys.everything}", "of the type that a fleet needs")


def wrong_stream(key: FleetKey, name: str) -> Unavailable:
    """Return the error for a key that is not the stream it should be."""
    return _error(key, f"the key {name}", "a stream")


def _machines(client: Any, keys: Keys) -> list[str]:
    ids = (field.decode("ascii", "replace") for field in client.hgetall(keys.machines))
    return [machine for machine in ids if machine.isalnum()]


def _check(client: Any, key: FleetKey, types: Mapping[str, str]) -> None:
    with client.pipeline(transaction=False) as pipe:
        for name, kind in types.items():
            command, rest = _PROBES[kind]
            pipe.execute_command(command, name, *rest)
        replies = pipe.execute(raise_on_error=False)
    for (name, kind), reply in zip(types.items(), replies, strict=True):
        if is_wrong_type(reply):
            raise _error(key, f"the key {name}", f"a {kind}")


def _error(key: FleetKey, name: str, kind: str) -> Unavailable:
    return Unavailable(
        f"{name} in the Redis at {key.address} is not {kind}: another program wrote it; delete it"
        " there",
        code=ErrorCode.REDIS_WRONG_TYPE,
    )
