"""A place in the event stream of a fleet: one position for each machine.

This machine's position, EPOCH-SEQ, is last, so a server without a fleet has only that:
`MACHINE.POSITION~MACHINE.POSITION~EPOCH-SEQ`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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

    def with_local(self, seq: int) -> Cursor:
        """Return the cursor at a later event of this machine."""
        return Cursor(f"{self.local.rpartition('-')[0]}-{seq}", self.remote)

    def with_remote(self, machine: str, position: str) -> Cursor:
        """Return the cursor at a later event of another machine."""
        return Cursor(self.local, {**self.remote, machine: position})
