from __future__ import annotations

from datetime import timedelta

import pytest

from clawtap_core.config import Settings
from clawtap_core.journal import SqliteJournal
from clawtap_core.model import Event
from clawtap_core.model.moments import utc_now
from clawtap_core.runtime import journal_file
from clawtap_core.runtime.journal_file import open_journal


@pytest.mark.parametrize("years", [0, 10])
def test_what_is_older_than_the_settings_keep_goes_whatever_the_clock_says(
    tmp_path, monkeypatch, years
):
    journal = SqliteJournal(tmp_path / "journal.db")
    now = utc_now()
    for days in (200, 91, 89, 0):
        journal.append([Event("done", now - timedelta(days=days), "s", {"days": days})])
    journal.close()
    monkeypatch.setattr(journal_file, "utc_now", lambda: now + timedelta(days=365 * years))
    journal = open_journal(Settings(data_dir=tmp_path))
    assert [event.data["days"] for event in journal.read()] == [89, 0]
    journal.close()
