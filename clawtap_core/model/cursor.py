"""A place in the event stream of a fleet: one position for each machine.

This machine's position, EPOCH-SEQ, is last, so a server without a fleet has only that:
`MACHINE.POSITION~MACHINE.POSITION~EPOCH-SEQ`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clawtap_core.model.event import Event, RemoteEvent


@dataclass(frozen=True, slots=True)
class Cursor:
    """`local` is EPOCH-SEQ, or "" for none; `remote` are positions by machine id."""

    local: str = ""
    remote: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Read a cursor; parts that are not the position of a machine are left out."""
        *pieces, local = text.split("~")
        pairs = (piece.partition(".") for piece in pieces)
        return cls(local, {machine: position for machine, dot, position in pairs if dot})

    def __str__(self) -> str:
        remote = (f"{machine}.{position}" for machine, position in sorted(self.remote.items()))
        return "~".join((*remote, self.local))

    def after(self, event: Event) -> Cursor | None:
        """Return the cursor after a later event; None for one without a place, such as a delta."""
        if event.type == "snapshot" and (cursor := event.data.get("cursor")):
            return Cursor.parse(str(cursor))
        if isinstance(event, RemoteEvent) and event.position:
            return Cursor(self.local, {**self.remote, event.machine_id: event.position})
        if event.seq is None:
            return None
        return Cursor(f"{self.local.rpartition('-')[0]}-{event.seq}", self.remote)
