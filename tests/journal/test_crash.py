"""kill -9 at any moment: what was committed is there, whole, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timezone

import pytest

from clawtap_core.journal import Change, SqliteJournal
from clawtap_core.model import Event, QueuedMessage

pytestmark = pytest.mark.process

WRITER = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from clawtap_core.journal import Change, SqliteJournal
from clawtap_core.model import Event, QueuedMessage

at = datetime(2026, 1, 1, tzinfo=timezone.utc)
journal = SqliteJournal(Path(sys.argv[1]))
while True:
    n = journal.last // 2 + 1
    pair = [Event("first", at, "s", {"n": n}), Event("second", at, "s", {"n": n})]
    journal.append(pair, Change((QueuedMessage(str(n), "s", "x", at),), markers={("s", "n"): n}))
    print(n, flush=True)
"""


def write_and_kill(path, pairs):
    """Kill a process once it has reported this many pairs; return the last that it reported."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        reported = [int(writer.stdout.readline()) for _ in range(pairs)]
        writer.kill()
        reported += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    return max(reported)


@pytest.mark.parametrize("pairs", [1, 37, 400])
def test_a_killed_process_loses_nothing_that_it_reported(path, pairs):
    reported = write_and_kill(path, pairs)
    journal = SqliteJournal(path)
    events = journal.read(0, 100_000)
    assert journal.last in (reported * 2, reported * 2 + 2)
    assert [event.seq for event in events] == list(range(1, journal.last + 1))
    assert [event.data["n"] for event in events[::2]] == [e.data["n"] for e in events[1::2]]
    assert [int(message.id) for message in journal.kept().queue] == list(
        range(1, journal.last // 2 + 1)
    )
    assert journal.kept().markers == {("s", "n"): journal.last // 2}
    journal.close()


def test_it_goes_on_where_it_was_killed(path):
    first = write_and_kill(path, 5)
    second = write_and_kill(path, 5)
    assert second >= first + 5
    journal = SqliteJournal(path)
    at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    last = journal.last
    (event,) = journal.append([Event("x", at)], Change((QueuedMessage("new", "s", "x", at),)))
    assert event.seq == last + 1
    journal.close()
