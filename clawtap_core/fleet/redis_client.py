"""Connections to Redis, and what is checked before a fleet uses one.

redis-py is imported here only, and only where a fleet is configured. It uses plain sockets, which
gevent has patched in `clawtap serve`: a greenlet that waits for Redis holds up nobody else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable, UsageError
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.key_types import check_types, is_wrong_type, wrong_type
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.seal import Seal, SealBroken
from clawtap_core.fleet.timings import FLEET_TIMINGS, FleetTimings
from clawtap_core.model.ansi import printable_line

OLDEST = (6, 2)
# The proof of a fleet that has a new key.
REKEYED = "rekeyed"
LOST_VALUES = "the Redis lost the fleet's values; they are being published again"
# How errors of Redis begin: without the password, and where a stream was removed.
_NO_PASSWORD, _LOST = ("NOAUTH", "WRONGPASS"), ("NOGROUP", "UNBLOCKED")


@dataclass(frozen=True, slots=True)
class FleetRedis:
    """The Redis of one fleet: a client, the fleet's keys, and the seal of its values."""

    key: FleetKey
    client: Any
    keys: Keys
    seal: Seal
    timings: FleetTimings

    @classmethod
    def open(cls, key: FleetKey, timings: FleetTimings = FLEET_TIMINGS) -> FleetRedis:
        """Return the Redis that a fleet key leads to."""
        client = connect(key.redis_url, timings)
        return cls(key, client, Keys(key.fleet), Seal(key.secret), timings)


def connect(url: str, timings: FleetTimings = FLEET_TIMINGS) -> Any:
    """Return a client; no connection is made before its first command."""
    try:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.exceptions import RedisError
        from redis.retry import Retry
    except ImportError as error:
        raise UsageError(
            "a fleet needs redis-py, which is not installed; run `pip install 'clawtap[redis]'`",
            code=ErrorCode.REDIS_MISSING,
        ) from error
    # Replies look the same in every version of redis-py with protocol 2; we retry ourselves.
    ours = {
        "protocol": 2,
        "decode_responses": False,
        "socket_timeout": timings.command + timings.new_entries,
        "socket_connect_timeout": timings.command,
        "retry": Retry(NoBackoff(), 0),
    }
    try:
        client = Redis.from_url(url, **_tls_defaults(url), **ours)
        # What an address says counts more for redis-py.
        pool = client.connection_pool
        pool.connection_kwargs.update(ours)
        pool.connection_class(**pool.connection_kwargs)  # it is not opened
    except (ValueError, RedisError) as error:
        raise UsageError(
            f"redis_url is not an address of Redis: {_reason(error)}", code=ErrorCode.BAD_SETTING
        ) from error
    except TypeError as error:
        option = str(error).rpartition(" ")[2]
        scheme = url.partition(":")[0]
        raise UsageError(
            f"redis_url has the option {option}, which {scheme}:// does not have",
            code=ErrorCode.BAD_SETTING,
        ) from error
    pool.connection_class = _closable(pool.connection_class)
    return client


def _tls_defaults(url: str) -> dict[str, Any]:
    """Return options of TLS for what an address leaves open; redis-py 5 checks no host name."""
    parts = urlsplit(url)
    checks = parts.scheme == "rediss" and "ssl_cert_reqs" not in parts.query
    return {"ssl_check_hostname": True} if checks else {}


def _closable(connection: Any) -> Any:
    """Return a class of connections that another thread may close while a command waits.

    redis-py itself may then raise any error of its half-closed connection.
    """
    from redis.exceptions import ConnectionError as Broken

    @contextmanager
    def broken_if_closed() -> Iterator[None]:
        try:
            yield
        except (AttributeError, ValueError) as error:
            raise Broken("closed meanwhile") from error

    class Closable(connection):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            # redis-py 5 forgets it for UNIX sockets, and would wait endlessly.
            self.socket_timeout = options["socket_timeout"]

        def connect(self, *arguments: Any, **options: Any) -> Any:
            try:
                return super().connect(*arguments, **options)
            except Exception as error:
                error.nothing_was_sent = True  # type: ignore[attr-defined]
                raise

        def can_read(self, *arguments: Any, **options: Any) -> Any:
            with broken_if_closed():
                return super().can_read(*arguments, **options)

        def send_packed_command(self, *arguments: Any, **options: Any) -> Any:
            with broken_if_closed():
                return super().send_packed_command(*arguments, **options)

        def read_response(self, *arguments: Any, **options: Any) -> Any:
            with broken_if_closed():
                return super().read_response(*arguments, **options)

    return Closable


@contextmanager
def explained(client: Any, key: FleetKey) -> Iterator[None]:
    """Raise errors of Redis as errors that say what to do."""
    from redis.exceptions import RedisError

    try:
        yield
    except (RedisError, OSError, UnicodeError) as error:
        raise explain(client, key, error) from error


def explain(client: Any, key: FleetKey, error: Exception) -> ClawTapError:
    """Return an error of Redis as one that says what to do."""
    from redis import exceptions

    words = str(error)
    if isinstance(error, exceptions.AuthenticationError) or words.startswith(_NO_PASSWORD):
        return _refused(key)
    if refused := re.search(r"certificate verify failed: ([^(]+)", words):
        return Unavailable(
            f"the certificate of the Redis at {key.address} is refused: {refused[1].strip(' .')};"
            " if your own authority signed it, add ?ssl_ca_certs=FILE to redis_url",
            code=ErrorCode.REDIS_UNREACHABLE,
        )
    if not isinstance(error, exceptions.ResponseError):
        why = _missing_file(key) or _reason(error)
        return Unavailable(
            f"no Redis answers at {key.address} ({why}); is it running, and can this"
            " machine reach it?",
            code=ErrorCode.REDIS_UNREACHABLE,
        )
    if isinstance(error, exceptions.NoPermissionError):
        command = re.search(r"'([\w|-]+)' command", words)
        return _not_allowed(key, {command[1].upper() if command else "a command": words})
    if "'maxmemory'" in words:
        return Unavailable(
            f"the Redis at {key.address} is full; raise its maxmemory, or remove other data",
            code=ErrorCode.REDIS_FULL,
        )
    if is_wrong_type(error):
        return wrong_type(client, key)
    return Unavailable(
        f"the Redis at {key.address} refuses a command: {_reason(error)}",
        code=ErrorCode.REDIS_REFUSES,
    )


def is_certain(error: BaseException) -> bool:
    """Return whether a command that failed has changed nothing in Redis."""
    from redis.exceptions import ResponseError

    return isinstance(error, ResponseError) or hasattr(error, "nothing_was_sent")


def failure(client: Any, key: FleetKey, error: Exception) -> str:
    """Return in words why the work with Redis ended."""
    from redis.exceptions import ResponseError

    if str(error).startswith(_LOST):
        return LOST_VALUES
    if isinstance(error, ResponseError):
        return explain(client, key, error).message
    return f"the Redis at {key.address} stopped answering"


def check(client: Any, key: FleetKey) -> None:
    """Raise an error with the reason if this Redis cannot carry the fleet."""
    with explained(client, key):
        check_redis(client, key)
        check_proof(client, key)


def check_redis(client: Any, key: FleetKey, own: Mapping[str, str] | None = None) -> None:
    """Raise an error if no fleet can use this Redis; `own` are the types of further keys."""
    server, memory = client.info("server"), client.info("memory")
    version = str(server.get("redis_version", "0"))
    numbers = tuple(int(part) if part.isdecimal() else 0 for part in version.split(".")[:2])
    if numbers < OLDEST:
        raise Unavailable(
            f"the Redis at {key.address} is version {version}; a fleet needs 6.2 or newer",
            code=ErrorCode.REDIS_TOO_OLD,
        )
    # Valkey calls it server_mode.
    if (server.get("server_mode") or server.get("redis_mode")) == "cluster":
        raise Unavailable(
            f"the Redis at {key.address} is part of a cluster; a fleet needs one that stands alone",
            code=ErrorCode.REDIS_CLUSTER,
        )
    policy = str(memory.get("maxmemory_policy", "noeviction"))
    if memory.get("maxmemory") and policy != "noeviction":
        raise Unavailable(
            f"the Redis at {key.address} removes keys when its memory is full (maxmemory-policy"
            f" {policy}); set maxmemory-policy noeviction",
            code=ErrorCode.REDIS_EVICTS,
        )
    _check_commands(client, key)
    check_types(client, key, own)


def commands(key: str) -> tuple[tuple[str, ...], ...]:
    """Return every command that a fleet uses, in an order that works on one new key."""
    return (
        ("TIME",),
        ("SET", key, "1", "NX", "PX", "10000"),
        ("GET", key),
        ("DEL", key),
        ("HSET", key, "field", "1"),
        ("HGET", key, "field"),
        ("HGETALL", key),
        ("HDEL", key, "field"),
        ("WATCH", key),
        ("UNWATCH",),
        ("XGROUP", "CREATE", key, "group", "0", "MKSTREAM"),
        ("XADD", key, "MAXLEN", "~", "10", "*", "field", "1"),
        ("XRANGE", key, "-", "+", "COUNT", "1"),
        ("XREVRANGE", key, "+", "-", "COUNT", "1"),
        ("XREAD", "COUNT", "1", "STREAMS", key, "0"),
        ("XREADGROUP", "GROUP", "group", "name", "COUNT", "1", "STREAMS", key, ">"),
        ("XACK", key, "group", "0-1"),
        ("XDEL", key, "0-1"),
        ("PERSIST", key),
        # The key of this try goes by itself.
        ("PEXPIRE", key, "10000"),
        ("MULTI",),
        ("EXEC",),
        ("PUBLISH", key, "1"),
        ("PUBSUB", "CHANNELS", key),
        ("SUBSCRIBE", key),
        ("UNSUBSCRIBE", key),
    )


def _check_commands(client: Any, key: FleetKey) -> None:
    from redis import exceptions

    scratch = Keys(key.fleet).check(secrets.token_hex(8))
    missing: dict[str, str] = {}
    # MULTI and EXEC have to use the same connection.
    with client.client() as connection:
        for command in commands(scratch):
            try:
                connection.execute_command(*command)
            except exceptions.ResponseError as error:
                # Any other error follows from another command that is not allowed; that of EXEC
                # only mentions the permission.
                if "permission" in str(error):
                    missing[command[0]] = str(error)
    if missing:
        raise _not_allowed(key, missing)


def check_proof(client: Any, key: FleetKey) -> None:
    """Store a value that only the fleet key opens, or open the stored one.

    Raises UsageError if the fleet has another key.
    """
    seal, place = Seal(key.secret), Keys(key.fleet).proof
    client.set(place, seal.close(place, key.fleet), nx=True)
    try:
        if seal.open(place, client.get(place)) == REKEYED:
            raise UsageError(
                f"the fleet {key.fleet} has a new key, which this machine did not get; run"
                " `clawtap fleet leave`, then the line that `clawtap fleet rekey` printed",
                code=ErrorCode.FLEET_KEY_OLD,
            )
    except SealBroken:
        raise UsageError(
            f"the fleet key does not fit the fleet {key.fleet} on Redis at {key.address}; join"
            " again with the line that `clawtap fleet create` printed",
            code=ErrorCode.FLEET_KEY_WRONG,
        ) from None


def is_known(client: Any, key: FleetKey) -> bool:
    """Return whether Redis has something of a fleet; True where it may not be asked."""
    from redis.exceptions import ResponseError

    try:
        with explained(client, key):
            return client.get(Keys(key.fleet).proof) is not None
    except ClawTapError as error:
        # A check says more about what is not allowed.
        if isinstance(error.__cause__, ResponseError):
            return True
        raise


def check_known(client: Any, key: FleetKey) -> None:
    """Raise an error with the reason if this Redis does not carry the fleet; add nothing to it."""
    carries_fleet = is_known(client, key)
    with explained(client, key):
        check_redis(client, key)
        if carries_fleet:
            check_proof(client, key)
    if not carries_fleet:
        raise Unavailable(
            f"the Redis at {key.address} has nothing of this fleet; start `clawtap serve`, or, if"
            " other machines of the fleet are online, leave it and join with their Redis",
            code=ErrorCode.REDIS_UNREACHABLE,
        )


def is_rekeyed(client: Any, key: FleetKey) -> bool:
    """Return whether the fleet has a new key, and this one opens nothing any more."""
    place = Keys(key.fleet).proof
    return bool(Seal(key.secret).read(place, client.get(place)) == REKEYED)


def _not_allowed(key: FleetKey, missing: Mapping[str, str]) -> ClawTapError:
    """Return the error for a user who lacks permissions, with Redis's words by command."""
    for word, sign in (("key", "~"), ("channel", "&")):
        if any(f" {word}" in words for words in missing.values()):
            what = f"may not use the fleet's {word}s; allow {sign}{Keys(key.fleet).everything}"
            break
    else:
        allow = " ".join(f"+{name.lower()}" for name in missing)
        what = f"may not use {', '.join(missing)}; allow {allow}"
    return Unavailable(
        f"the user of Redis at {key.address} {what} in its ACL",
        code=ErrorCode.REDIS_NOT_ALLOWED,
    )


def _refused(key: FleetKey) -> ClawTapError:
    return Unavailable(
        f"the Redis at {key.address} refused the password; give user and password in redis_url:"
        " redis://USER:PASSWORD@HOST:PORT",
        code=ErrorCode.REDIS_REFUSED,
    )


def _missing_file(key: FleetKey) -> str:
    """Return in words that a file of TLS that the address names is missing, or ""."""
    options = dict(parse_qsl(urlsplit(key.redis_url).query))
    paths = (options.get(name) for name in ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile"))
    missing = next((path for path in paths if path and not Path(path).is_file()), "")
    return missing and f"no such file: {missing}"


def _reason(error: Exception) -> str:
    # redis-py names the address, too.
    words = re.sub(r"^Error -?\d+ connecting to \S+\. ", "", str(error))
    # A server's words may hold what a terminal would interpret.
    words = printable_line(getattr(error, "strerror", "") or words, 200)
    return words.rstrip(".") or type(error).__name__
