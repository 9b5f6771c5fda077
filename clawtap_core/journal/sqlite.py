"""The journal in SQLite, in a file or in memory."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from datetime import datetime
from pathlib import Path
from typing import Any

from clawtap_core.errors import BadRequest, ErrorCode, Unavailable
from clawtap_core.journal import records
from clawtap_core.journal.api import Change, Kept, Value
from clawtap_core.journal.folder import FolderLock, make_file, make_private
from clawtap_core.journal.sqlite_file import (
    check_not_emptied,
    damaged,
    explained,
    open_database,
    patiently,
)
from clawtap_core.model import Event, Prompt

# How many events one statement reads or deletes at the most.
_PIECE = 2000
_INSERT = "INSERT INTO event (seq, at, type, session_id, data) VALUES (?, ?, ?, ?, ?)"
_UPSERT = """
INSERT INTO kept (kind, id, alias, open, at, value) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, id) DO UPDATE SET
    alias = excluded.alias, open = excluded.open, at = excluded.at, value = excluded.value
"""
_DELETE = "DELETE FROM kept WHERE kind = ? AND id = ?"
_MARK = """
INSERT INTO marker (session_id, key, value) VALUES (?, ?, ?)
ON CONFLICT (session_id, key) DO UPDATE SET value = excluded.value
"""
_UNMARK = "DELETE FROM marker WHERE session_id = ? AND key = ?"
_READ = "SELECT seq, at, type, session_id, data FROM event WHERE seq > ?"
_CURRENT = "SELECT kind, value FROM kept WHERE kind <> 'prompt' OR open ORDER BY position"
_BY_ID = "SELECT value FROM kept WHERE kind = 'prompt' AND id = ?"
_BY_CALL = """
SELECT value FROM kept WHERE kind = 'prompt' AND alias = ? ORDER BY open DESC, position DESC
"""
_DELETE_ENDED = "DELETE FROM kept WHERE NOT open AND at < ?"


class SqliteJournal:
    """A journal file, alone in its folder: a second process is refused.

    One connection and one lock: calls from any thread are served one after another.
    """

    epoch: str
    _file: int | None = None

    def __init__(self, path: Path) -> None:
        make_private(path.parent)
        self._folder: FolderLock | None = FolderLock(path.parent)
        try:
            check_not_emptied(path)
            make_file(path)
            self._open(path)
            self._file = path.stat().st_ino
        except BaseException:
            self._folder.release()
            raise

    def _open(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._database = open_database(path)
        with explained(path):
            new = ("epoch", secrets.token_hex(4))
            self._database.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", new)
            ((self.epoch,),) = self._rows("SELECT value FROM meta WHERE name = 'epoch'")
            self._last = self._number("SELECT max(seq) FROM event")

    @property
    def last(self) -> int:
        """Return the last event's sequence number."""
        return self._last

    def append(self, events: Sequence[Event], change: Change | None = None) -> list[Event]:
        """Write events and their change in one transaction."""
        events = [records.sound(event) for event in events]
        writes = _writes(change) if change else []
        self._check_still_there()
        with self._transaction() as database:
            numbered = [records.numbered(e, self._last + n) for n, e in enumerate(events, start=1)]
            added = [(e.seq, records.ticks(e.at), e.type, e.session_id, e.json) for e in numbered]
            for statement, rows in [(_INSERT, added), *writes]:
                for row in rows:
                    database.execute(statement, row)
            database.execute("COMMIT")
            self._last += len(numbered)
        return numbered

    def read(self, after: int = 0, limit: int = 200, session_id: str | None = None) -> list[Event]:
        """Return events after a sequence number, oldest first."""
        whose, values = (" AND session_id = ?", [session_id]) if session_id else ("", [])
        query = f"{_READ}{whose} ORDER BY seq LIMIT ?"
        return [_event(row) for row in self._rows(query, after, *values, limit)]

    def latest(
        self,
        before: int | None = None,
        limit: int = 50,
        session_id: str | None = None,
        types: Collection[str] = (),
    ) -> list[Event]:
        """Return events before a sequence number, newest first; only of `types`, if given."""
        whose, values = (" AND session_id = ?", [session_id]) if session_id else ("", [])
        kinds = f" AND type IN ({', '.join('?' * len(types))})" if types else ""
        query = f"{_READ}{whose}{kinds} AND seq < ? ORDER BY seq DESC LIMIT ?"
        events: list[Event] = []
        first = self._number("SELECT min(seq) FROM event")
        end = min(before or self._last + 1, self._last + 1)
        # In pieces: a search for rare types would hold up every prompt that comes meanwhile.
        while end > first and len(events) < limit:
            start = max(end - _PIECE, first)
            found = self._rows(query, start - 1, *values, *types, end, limit - len(events))
            events += map(_event, found)
            end = start
        return events

    def kept(self) -> Kept:
        """Return the current state."""
        values = [self._value(kind, text) for kind, text in self._rows(_CURRENT)]
        markers = self._rows("SELECT session_id, key, value FROM marker")
        return records.kept_of(values, {(id_, key): json.loads(text) for id_, key, text in markers})

    def prompt(self, request_id: str) -> Prompt | None:
        """Return a prompt by its id, else the latest with this tool call id, open ones first."""
        rows = self._rows(_BY_ID, request_id) or self._rows(_BY_CALL, request_id)
        if not rows:
            return None
        value = self._value("prompt", rows[0][0])
        return value if isinstance(value, Prompt) else None

    def prune(self, before: datetime, most: int | None = None) -> int:
        """Delete events before a moment, and all but the `most` latest; return how many.

        Prompts and sessions that ended before go too; what is open, alive or queued stays. The
        last event always stays, so that no sequence number is used twice.
        """
        limit = records.ticks(before)
        first = self._number("SELECT min(seq) FROM event")
        keep = self._number("SELECT min(seq) FROM event WHERE at >= ?", limit) or self._last
        if most is not None:
            keep = max(keep, self._last - max(most, 1) + 1)
        # In pieces: a long deletion would hold up every prompt that comes meanwhile.
        for end in [*range(first + _PIECE, keep, _PIECE), keep]:
            with self._transaction() as database:
                database.execute("DELETE FROM event WHERE seq < ?", (end,))
                database.execute("COMMIT")
        with self._transaction() as database:
            database.execute(_DELETE_ENDED, (limit,))
            database.execute("COMMIT")
        return max(keep - first, 0) if first else 0

    def close(self) -> None:
        """Close the file and release the folder."""
        with self._lock:
            self._database.close()
            if self._folder:
                self._folder.release()

    def _check_still_there(self) -> None:
        if self._file is None:
            return
        # SQLite would go on writing to a file that was removed.
        try:
            there = self._path.stat().st_ino == self._file
        except OSError:
            there = False
        if not there:
            raise Unavailable(
                f"the journal {self._path} was removed while ClawTap ran; start it again",
                code=ErrorCode.JOURNAL_FAILED,
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that its body commits; it is rolled back otherwise."""
        with self._lock, explained(self._path):
            patiently(self._database, "BEGIN IMMEDIATE")
            try:
                yield self._database
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._lock, explained(self._path):
            return patiently(self._database, query, values).fetchall()

    def _number(self, query: str, *values: Any) -> int:
        ((found,),) = self._rows(query, *values)
        return found or 0

    def _value(self, kind: str, text: str) -> Value:
        try:
            return records.value_of(kind, text)
        except (BadRequest, KeyError, ValueError) as error:
            raise damaged(self._path, f"a kept {kind} cannot be read: {error}") from error


class MemoryJournal(SqliteJournal):
    """A journal that lives as long as its process, for tests and for the library."""

    def __init__(self) -> None:
        self._folder = None
        self._open(Path(":memory:"))
        weakref.finalize(self, self._database.close)

    def close(self) -> None:
        """Stay open, so that the next runtime can take the journal over."""


def _event(row: tuple[int, int, str, str | None, str]) -> Event:
    seq, at, kind, session_id, data = row
    return Event(kind, records.moment(at), session_id, json.loads(data), seq)


def _writes(change: Change) -> list[tuple[str, list[tuple[Any, ...]]]]:
    markers = change.markers.items()
    return [
        (_UPSERT, [astuple(records.record(value)) for value in change.upsert]),
        (_DELETE, [records.key(value) for value in change.delete]),
        (_MARK, [(*key, json.dumps(value)) for key, value in markers if value is not None]),
        (_UNMARK, [key for key, value in markers if value is None]),
    ]
