"""The list of a fleet's machines in Redis: their names, and when each was last online."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

# The entry of a machine that has left.
LEFT = False


@dataclass(frozen=True, slots=True)
class Member:
    """A machine that joined; `seen` is when it was last online, by Redis's time."""

    name: str
    seen: datetime | None = None


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
