"""A new key for a fleet: machines that are online get it, others join again, some are excluded."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_core.errors import ClawTapError, ErrorCode, UsageError
from clawtap_core.fleet.key_box import BoxBroken, put_into_box
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.members import read_member
from clawtap_core.fleet.redis_client import REKEYED, check, explained, is_rekeyed
from clawtap_core.fleet.seal import Seal
from clawtap_core.transport import machine_not_found

# How long a machine has to appear with the new key that it was given.
SECONDS = 15.0
# How long the new key waits for a machine that has not taken it.
HANDOVER_SECONDS = 86_400


@dataclass
class Rekeyed:
    """The new key, and the names of machines: those that have it, do not yet, and are excluded."""

    key: FleetKey
    have: list[str] = field(default_factory=list)
    lack: list[str] = field(default_factory=list)
    out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Member:
    id: str
    name: str
    box: str


def rekey(
    client: Any,
    old: FleetKey,
    own_id: str,
    *,
    without: Collection[str] = (),
    by_hand: bool = False,
    keep: Callable[[FleetKey], None],
) -> Rekeyed:
    """Make a new key, `keep` it here, hand it over, and remove what the old key opens.

    The machines `without` do not get it; with `by_hand` no machine but this one does.
    """
    new = FleetKey.new(old.redis_url)
    check(client, old)
    with explained(client, old):
        everyone = _members(client, old)
        members = [member for member in everyone if member.id != own_id]
        _check_stays([member for member in everyone if member.id == own_id], members, without)
        out = _chosen(members, without)
        check(client, new)
        result = Rekeyed(new, out=[member.name for member in out])
        stay = [member for member in members if member not in out]
        try:
            keep(new)
        except ClawTapError:
            client.delete(Keys(new.fleet).proof)
            raise
        # Nobody has it before it is kept here: it would be lost with this process.
        recipients = (
            [] if by_hand else [each for each in stay if _hand_over(client, old, new, each)]
        )
        arrived = _arrived(client, new, recipients)
        for member in stay:
            (result.have if member.id in arrived else result.lack).append(member.name)
        _remove_old(client, old, members, own_id)
    return result


def _members(client: Any, key: FleetKey) -> list[_Member]:
    """Return the machines of the fleet; the box is "" for one that is away."""
    keys, seal = Keys(key.fleet), Seal(key.secret)
    members = []
    for field_name, sealed in client.hgetall(keys.machines).items():
        machine_id = field_name.decode("ascii", "replace")
        listed = read_member(seal.read(f"{keys.machines} {machine_id}", sealed))
        if listed and machine_id.isalnum():
            place = keys.machine(machine_id)
            presence = seal.read(place, client.hget(place, "is"))
            box = str(presence.get("box", "")) if isinstance(presence, Mapping) else ""
            members.append(_Member(machine_id, listed.name, box))
    return sorted(members, key=lambda member: member.name)


def _check_stays(own: list[_Member], others: list[_Member], without: Collection[str]) -> None:
    """Raise UsageError if this machine, which makes the key, is to be left out."""
    named = {name for member in own for name in (member.id, member.name)} & set(without)
    if named - {name for member in others for name in (member.id, member.name)}:
        raise UsageError(
            "this machine cannot leave itself out: run it on another one, or run"
            " `clawtap fleet leave` here",
            code=ErrorCode.BAD_SETTING,
        )


def _chosen(members: list[_Member], names: Collection[str]) -> list[_Member]:
    for name in names:
        if not any(name in (member.id, member.name) for member in members):
            raise machine_not_found(name)
    return [member for member in members if {member.id, member.name} & set(names)]


def _hand_over(client: Any, old: FleetKey, new: FleetKey, member: _Member) -> bool:
    """Leave the new key for a machine that is online; return False for one that is not."""
    keys, seal = Keys(old.fleet), Seal(old.secret)
    try:
        boxed = put_into_box(new.text, member.box)
    except BoxBroken:
        return False
    place = keys.handover
    with client.pipeline(transaction=True) as pipe:
        pipe.hset(place, member.id, seal.close(f"{place} {member.id}", boxed))
        pipe.pexpire(place, HANDOVER_SECONDS * 1000)
        pipe.execute()
    return True


def _arrived(client: Any, new: FleetKey, recipients: list[_Member]) -> set[str]:
    """Return the ids of the machines that have the new key, once all do or time is up."""
    end = time.monotonic() + SECONDS
    arrived: set[str] = set()
    while len(arrived) < len(recipients) and time.monotonic() < end:
        arrived = {each.id for each in _members(client, new) if each.box}
        arrived &= {member.id for member in recipients}
        time.sleep(0.1)
    return arrived


def _remove_old(client: Any, old: FleetKey, members: list[_Member], own_id: str) -> None:
    """Remove the old fleet from Redis, and leave a note that it has a new key."""
    keys = Keys(old.fleet)
    client.set(keys.proof, Seal(old.secret).close(keys.proof, REKEYED))
    remove_rekeyed(client, old, [own_id, *(member.id for member in members)])


def remove_rekeyed(client: Any, key: FleetKey, machines: Iterable[str]) -> bool:
    """Remove what Redis has of a fleet that has a new key; return False if it has none.

    Whoever used the old key until now, or still does, may have written after the others removed it.
    """
    if not is_rekeyed(client, key):
        return False
    keys = Keys(key.fleet)
    names = [name for machine in sorted({*machines}) for name in keys.of_machine(machine)]
    client.delete(*names, keys.machines, keys.devices, keys.codes)
    return True


def take_handover(client: Any, key: FleetKey, machine: str, open_box: Callable[[str], str]) -> str:
    """Return the text of the new key that was left for a machine, or ""."""
    place = Keys(key.fleet).handover
    boxed = Seal(key.secret).read(f"{place} {machine}", client.hget(place, machine))
    try:
        return open_box(boxed) if isinstance(boxed, str) else ""
    except BoxBroken:
        return ""
