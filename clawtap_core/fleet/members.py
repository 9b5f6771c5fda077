"""The list of a fleet's machines in Redis: their names, and when each was last online."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from clawtap_core.fleet.redis_client import FleetRedis

# The entry of a machine that has left.
LEFT = False


@dataclass(frozen=True, slots=True)
class Member:
    """A machine that joined; `seen` is when it was last online, by Redis's time."""

    name: str
    seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class OtherMachines:
    """The machines but one's own, by id: the members, what those online report, and who left."""

    members: Mapping[str, Member]
    online: Mapping[str, Mapping[str, Any]]
    left: Collection[str]


def member_fields(name: str, now: int) -> dict[str, object]:
    """Return the entry of a machine at a time in milliseconds."""
    return {"name": name, "seen": now}


def read_member(entry: object) -> Member | None:
    """Return a machine of the list; None for an unsound entry."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(name, str):
        return None
    try:
        seen = datetime.fromtimestamp(int(entry["seen"]) / 1000, timezone.utc)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return Member(name[:60])
    return Member(name[:60], seen)


def read_others(redis: FleetRedis, own_id: str) -> OtherMachines:
    """Read the machines of a fleet but one's own; unsound entries are left out."""
    members: dict[str, Member] = {}
    left: list[str] = []
    for field, sealed in redis.client.hgetall(redis.keys.machines).items():
        other = field.decode("ascii", "replace")
        entry = redis.seal.read(f"{redis.keys.machines} {other}", sealed)
        if entry is LEFT:
            left.append(other)
        elif other != own_id and other.isalnum() and (member := read_member(entry)):
            members[other] = member
    online = {other: presence for other in members if (presence := _presence(redis, other))}
    return OtherMachines(members, online, left)


def _presence(redis: FleetRedis, machine_id: str) -> Mapping[str, Any] | None:
    """Return what a machine reports of itself, with a mark of its process; None when away."""
    key = redis.keys.machine(machine_id)
    with redis.client.pipeline(transaction=False) as pipe:
        pipe.hget(key, "is")
        pipe.hget(key, "process")
        sealed, process = pipe.execute()
    presence = redis.seal.read(key, sealed)
    if not isinstance(presence, Mapping):
        return None
    return {**presence, "process": (process or b"").decode("ascii", "replace")}
