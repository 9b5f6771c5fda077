"""A log of the calls that this machine has begun, so that each is carried out only once."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.journal.folder import make_file


class CallLog:
    """Ids of calls in a file, until their deadlines have passed. Times are milliseconds."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        # Private from the start: SQLite gives the files that it adds the same mode.
        make_file(path)
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        try:
            self._create()
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise Unavailable(
                f"the calls in {path} cannot be read ({error}): move it away and start again",
                code=ErrorCode.JOURNAL_DAMAGED,
            ) from error

    def _create(self) -> None:
        # As for the journal: what a process wrote survives its end, and no call waits for the disk.
        # A call that a power cut lets us forget was confirmed to Redis, which does not repeat it.
        self._database.executescript(
            "PRAGMA journal_mode = WAL;"
            "PRAGMA synchronous = NORMAL;"
            "CREATE TABLE IF NOT EXISTS calls (id TEXT PRIMARY KEY, deadline INTEGER NOT NULL);"
            "CREATE TABLE IF NOT EXISTS forgotten (only_row INTEGER PRIMARY KEY, until INTEGER);"
        )

    def begin(self, call_id: str, deadline: int, now: int) -> bool:
        """Record that a call begins; return False if it is too late for that.

        Raises KeyError for one that began before. A forgotten call counts as too late, so one that
        Redis sends again after its deadline is not carried out, whatever deadline it names.
        """
        with self._lock:
            self._forget(now)
            row = self._database.execute("SELECT until FROM forgotten").fetchone()
            if self._database.execute("SELECT 1 FROM calls WHERE id = ?", (call_id,)).fetchone():
                raise KeyError(call_id)
            if deadline <= max(now, row[0] if row else 0):
                return False
            self._database.execute("INSERT INTO calls VALUES (?, ?)", (call_id, deadline))
            return True

    def _forget(self, now: int) -> None:
        passed = self._database.execute("DELETE FROM calls WHERE deadline < ?", (now,)).rowcount
        if passed:
            self._database.execute(
                "INSERT INTO forgotten VALUES (1, ?) ON CONFLICT (only_row)"
                " DO UPDATE SET until = max(until, excluded.until)",
                (now,),
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()
