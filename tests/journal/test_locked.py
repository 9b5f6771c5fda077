from __future__ import annotations

import sqlite3
import subprocess
import sys
from datetime import datetime, timezone

import pytest

from clawtap_core.errors import Unavailable
from clawtap_core.journal import SqliteJournal, sqlite_file

SCRIPT = """
from gevent import monkey; monkey.patch_all(queue=False)
import sqlite3, sys
from datetime import datetime, timezone
from pathlib import Path
import gevent
from clawtap_core.journal import SqliteJournal, sqlite_file
from clawtap_core.model import Event

path = Path(sys.argv[1])
journal = SqliteJournal(path)
other = sqlite3.connect(path, isolation_level=None)
other.execute("BEGIN IMMEDIATE")
ticks = []

def tick():
    while True:
        ticks.append(1)
        gevent.sleep(0.01)

ticking = gevent.spawn(tick)
event = Event("done", datetime.now(timezone.utc), "s1", {})
sqlite_file.PATIENCE = 20
writing = gevent.spawn(journal.append, [event])
while len(ticks) < 50 and not writing.ready():
    gevent.sleep(0.01)
assert not writing.ready(), "it held up everything until it gave up"
other.execute("COMMIT")
writing.join(60)
ticking.kill()
assert writing.value, writing.exception
journal.close()
"""


@pytest.mark.process
def test_a_journal_that_another_process_holds_does_not_stall_the_server(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "data" / "journal.db")],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr


def test_a_journal_that_stays_locked_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.1)
    path = tmp_path / "data" / "journal.db"
    journal = SqliteJournal(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="database is locked") as caught:
        journal.prune(datetime(2020, 1, 1, tzinfo=timezone.utc))
    assert caught.value.code == "journal_failed"
    other.close()
    journal.close()
