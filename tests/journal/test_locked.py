from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from datetime import datetime, timezone

import pytest

from clawtap_core.errors import Unavailable
from clawtap_core.journal import SqliteJournal, sqlite_file

SCRIPT = """
from gevent import monkey; monkey.patch_all(queue=False)
import sqlite3, sys, time
from datetime import datetime, timezone
from pathlib import Path
import gevent
from clawtap_core.journal import SqliteJournal
from clawtap_core.model import Event

path = Path(sys.argv[1])
journal = SqliteJournal(path)
other = sqlite3.connect(path, isolation_level=None)
other.execute("BEGIN IMMEDIATE")
ticks = []

def tick():
    while True:
        ticks.append(time.monotonic())
        gevent.sleep(0.01)

ticking = gevent.spawn(tick)
event = Event("done", datetime.now(timezone.utc), "s1", {})
writing = gevent.spawn(journal.append, [event])
gevent.sleep(0.5)
other.execute("COMMIT")
writing.join(3)
ticking.kill()
assert writing.value, writing.exception
gap = max(later - earlier for earlier, later in zip(ticks, ticks[1:]))
assert gap < 0.3, gap
journal.close()
"""


@pytest.mark.process
def test_a_journal_that_another_process_holds_does_not_stall_the_server(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "data" / "journal.db")],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr


def test_a_journal_that_stays_locked_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.1)
    path = tmp_path / "data" / "journal.db"
    journal = SqliteJournal(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(Unavailable, match="database is locked") as caught:
        journal.prune(datetime(2020, 1, 1, tzinfo=timezone.utc))
    assert (caught.value.code, time.monotonic() - began < 2) == ("journal_failed", True)
    other.close()
    journal.close()
