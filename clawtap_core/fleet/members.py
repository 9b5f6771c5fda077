"""The list of a fleet's machines in Redis: the name of each, and when it was last there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

# Stands in place of a machine that left.
LEFT = False


@dataclass(frozen=True, slots=True)
class Member:
    """A machine that joined; `seen` is when it was last there, by Redis's time."""

    name: str
    seen: datetime | None = None


def member_fields(name: str, now: int) -> dict[str, object]:
    """Return what a machine lists of itself at a time in milliseconds."""
    return {"name": name, "seen": now}


def read_member(entry: object) -> Member | None:
    """Return a machine of the list; None for what is not sound."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(name, str):
        return None
    try:
        seen = datetime.fromtimestamp(int(entry["seen"]) / 1000, timezone.utc)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return Member(name[:60])
    return Member(name[:60], seen)
