"""A journal that refuses to write while it is full, as on a full disk."""

from __future__ import annotations

from clawtap_core.errors import Unavailable
from clawtap_core.journal import MemoryJournal


class FullJournal(MemoryJournal):
    """It refuses to write while `full`."""

    full = False

    def append(self, events, change=None):
        if self.full:
            raise Unavailable("database or disk is full", code="journal_failed")
        return super().append(events, change)
