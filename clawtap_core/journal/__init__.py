"""The append-only event log and the current state."""

from clawtap_core.journal.api import Change, Journal, Kept
from clawtap_core.journal.sqlite import MemoryJournal, SqliteJournal

__all__ = ["Change", "Journal", "Kept", "MemoryJournal", "SqliteJournal"]
