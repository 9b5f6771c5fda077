"""The append-only log of everything that happened, and what is true now."""

from clawtap_core.journal.api import Change, Journal, Kept
from clawtap_core.journal.sqlite import MemoryJournal, SqliteJournal

__all__ = ["Change", "Journal", "Kept", "MemoryJournal", "SqliteJournal"]
