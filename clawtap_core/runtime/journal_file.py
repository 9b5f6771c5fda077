"""Opening the journal of the data folder."""

from __future__ import annotations

from datetime import timedelta

from clawtap_core.config import Settings
from clawtap_core.journal import SqliteJournal
from clawtap_core.model.moments import utc_now


def open_journal(settings: Settings) -> SqliteJournal:
    """Open the journal, and delete what is older than the settings keep."""
    journal = SqliteJournal(settings.data_dir / "journal.db")
    try:
        for newest in journal.read(journal.last - 1, 1):
            # A clock that is wrong by a year must not delete everything.
            now = min(utc_now(), newest.at)
            journal.prune(now - timedelta(days=settings.journal_days))
    except BaseException:
        journal.close()
        raise
    return journal
