"""What a person or program may do here."""

from __future__ import annotations

from enum import Enum


class Role(str, Enum):
    """The rights of a device, from the least to all; each includes those before it."""

    WATCH = "watch"
    ANSWER = "answer"
    OWNER = "owner"

    def includes(self, needed: Role) -> bool:
        """Return whether this role may do what `needed` may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)
