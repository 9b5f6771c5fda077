"""The search index in SQLite's FTS5."""

from __future__ import annotations

import logging
import secrets
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from clawtap_core.errors import Unavailable
from clawtap_core.journal.folder import make_file
from clawtap_core.search.api import FoundMessage, IndexedConversation, IndexedMessage, Key
from clawtap_core.search.characters import separated
from clawtap_core.search.query import Query, Term
from clawtap_core.system.native_thread import in_native_thread

log = logging.getLogger(__name__)
# The version of the tables, the tokenizer, what is hidden and how tools are named: an index of
# another one is rebuilt.
VERSION = 5
T = TypeVar("T")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LATEST = datetime(9999, 1, 1, tzinfo=timezone.utc)
_END = 2**63 - 1
_MILLISECOND = timedelta(milliseconds=1)
_PER_MILLISECOND = 1 << 14  # messages that may have the same time
# `secure_delete`: a removed message, such as one with a secret, must not stay in the file.
_SETTINGS = ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON")

_CONVERSATIONS = """
SELECT adapter, cli_session_id, path, title, cwd, changed_at, stamp FROM conversation
"""
_KEEP_CONVERSATION = """
INSERT INTO conversation (adapter, cli_session_id, path, title, cwd, changed_at, stamp)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (adapter, cli_session_id) DO UPDATE SET
    path = excluded.path, title = excluded.title, cwd = excluded.cwd,
    changed_at = excluded.changed_at, stamp = excluded.stamp
"""
_ID = "SELECT id FROM conversation WHERE adapter = ? AND cli_session_id = ?"
_DIGESTS = """
SELECT id, digest FROM message
WHERE conversation = (SELECT id FROM conversation WHERE adapter = ? AND cli_session_id = ?)
"""
_BY_ID = "SELECT position, text FROM message WHERE conversation = ? AND id = ?"
_OF_CONVERSATION = "SELECT position, text FROM message WHERE conversation = ?"
_LAST = "SELECT max(position) FROM message WHERE position >= ? AND position < ?"
_ADD = """
INSERT INTO message (position, conversation, id, role, at, digest, text)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_ADD_WORDS = "INSERT INTO word (rowid, text) VALUES (?, ?)"
_DROP = "DELETE FROM message WHERE position = ?"
_DROP_WORDS = "INSERT INTO word (word, rowid, text) VALUES ('delete', ?, ?)"
_FIND = """
SELECT m.position, c.adapter, c.cli_session_id, m.id, m.role, m.at, m.text, m.digest
FROM word JOIN message m ON m.position = word.rowid JOIN conversation c ON c.id = m.conversation
WHERE word MATCH ? AND word.rowid < ? ORDER BY word.rowid DESC LIMIT ?
"""


class SqliteIndex:
    """A search index in a file that only its owner can read.

    One connection writes and one reads. Both work in native threads under gevent, since a merge
    of the index takes longer than anybody should wait.
    """

    def __init__(self, path: Path) -> None:
        self._writer, self._reader = _open(path)
        self._writing, self._reading = threading.Lock(), threading.Lock()
        (self._salt,) = self._reader.execute(
            "SELECT value FROM meta WHERE name = 'salt'"
        ).fetchone()

    def conversations(self) -> list[IndexedConversation]:
        """Return every conversation."""
        rows = self._read(lambda: self._reader.execute(_CONVERSATIONS).fetchall())
        return [
            IndexedConversation((adapter, name), path, title, cwd, _moment(at), stamp)
            for adapter, name, path, title, cwd, at, stamp in rows
        ]

    def digest(self, text: str) -> int:
        """Return a salted digest, since a short text could be guessed from a plain one."""
        data = text.encode("utf-8", "surrogatepass")
        hashed = blake2b(data, digest_size=8, key=self._salt).digest()
        # SQLite's integers are signed.
        return int.from_bytes(hashed, "big", signed=True)

    def digests(self, key: Key) -> Mapping[str, int]:
        """Return the digests of a conversation's messages by their ids."""
        return dict(self._read(lambda: self._reader.execute(_DIGESTS, key).fetchall()))

    def write(
        self,
        conversation: IndexedConversation,
        messages: Sequence[IndexedMessage] = (),
        removed: Collection[str] = (),
    ) -> None:
        """Add or replace messages of a conversation, and remove others."""

        def work(database: sqlite3.Connection) -> None:
            database.execute(_KEEP_CONVERSATION, _row(conversation))
            ((owner,),) = database.execute(_ID, conversation.key)
            for name in (*removed, *(message.id for message in messages)):
                _remove(database, database.execute(_BY_ID, (owner, name)).fetchall())
            for message in messages:
                _add(database, owner, message)

        self._write(work)

    def drop(self, key: Key) -> None:
        """Remove a conversation with its messages."""

        def work(database: sqlite3.Connection) -> None:
            for (owner,) in database.execute(_ID, key).fetchall():
                _remove(database, database.execute(_OF_CONVERSATION, (owner,)).fetchall())
                database.execute("DELETE FROM conversation WHERE id = ?", (owner,))

        self._write(work)

    def find(self, query: Query, *, before: int | None, limit: int) -> list[FoundMessage]:
        """Return the messages that have all the words, newest first."""
        if not query.terms:
            return []
        words = " AND ".join(map(_expression, query.terms))
        values = (words, _END if before is None else before, limit)
        rows = self._read(lambda: self._reader.execute(_FIND, values).fetchall())
        return [
            FoundMessage(
                position,
                (adapter, session),
                IndexedMessage(name, role, _moment(at), text, digest),
            )
            for position, adapter, session, name, role, at, text, digest in rows
        ]

    def close(self) -> None:
        """Close the file."""
        with self._writing, self._reading:
            self._reader.close()
            self._writer.close()

    def _read(self, work: Callable[[], T]) -> T:
        with self._reading:
            return in_native_thread(work)

    def _write(self, work: Callable[[sqlite3.Connection], None]) -> None:
        def transaction() -> None:
            with self._writer:
                self._writer.execute("BEGIN IMMEDIATE")
                work(self._writer)

        with self._writing:
            in_native_thread(transaction)


def open_index(path: Path) -> SqliteIndex | None:
    """Return the index, or None if SQLite has no FTS5 or the disk refuses."""
    try:
        return SqliteIndex(path)
    except (sqlite3.Error, OSError, Unavailable) as error:
        log.warning("messages cannot be searched: %s cannot be used: %s", path, error)
        return None


def _open(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """Return the connections that write and read; rebuild a file that cannot be used."""
    try:
        if writer := _connect(path):
            return writer, _connection(path)
    except sqlite3.DatabaseError as error:
        log.warning("the search index %s cannot be used and is rebuilt: %s", path, error)
    for name in (path, *(path.with_name(f"{path.name}-{rest}") for rest in ("wal", "shm"))):
        name.unlink(missing_ok=True)
    writer = _connect(path)
    if writer is None:
        raise sqlite3.DatabaseError("a new file has another version")
    return writer, _connection(path)


def _connect(path: Path) -> sqlite3.Connection | None:
    """Return a connection to an index of this version; None for one of another version."""
    make_file(path)
    database = _connection(path)
    try:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        empty = database.execute("SELECT 1 FROM sqlite_master").fetchone() is None
        if empty:
            _create(database)
        elif version != VERSION:
            database.close()
            return None
        # A damaged index fails here, where it can be rebuilt, and not in somebody's search.
        database.execute("SELECT rowid FROM word WHERE word MATCH 'a' LIMIT 1").fetchone()
    except BaseException:
        database.close()
        raise
    return database


def _connection(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        for setting in _SETTINGS:
            database.execute(f"PRAGMA {setting}")
    except BaseException:
        database.close()
        raise
    return database


def _create(database: sqlite3.Connection) -> None:
    script = (files("clawtap_core.search") / "schema.sql").read_text(encoding="utf-8")
    database.executescript(f"BEGIN;\n{script}\nPRAGMA user_version = {VERSION};\nCOMMIT;")
    database.execute("INSERT INTO meta VALUES ('salt', ?)", (secrets.token_bytes(16),))


def _row(conversation: IndexedConversation) -> tuple[object, ...]:
    at = _milliseconds(conversation.changed_at)
    kept = (conversation.path, conversation.title, conversation.cwd, at, conversation.stamp)
    return (*conversation.key, *kept)


def _add(database: sqlite3.Connection, owner: int, message: IndexedMessage) -> None:
    position = _free_position(database, message.at)
    at = _milliseconds(message.at)
    row = (position, owner, message.id, message.role, at, message.digest, message.text)
    database.execute(_ADD, row)
    database.execute(_ADD_WORDS, (position, separated(message.text)))


def _remove(database: sqlite3.Connection, rows: Iterable[tuple[int, str]]) -> None:
    for position, text in rows:
        # The table of words keeps no text: to forget words it needs the text that they came from.
        database.execute(_DROP_WORDS, (position, separated(text)))
        database.execute(_DROP, (position,))


def _free_position(database: sqlite3.Connection, at: datetime) -> int:
    """Return a position behind the other messages of this time."""
    first = _milliseconds(at) * _PER_MILLISECOND
    while True:
        end = first + _PER_MILLISECOND
        ((last,),) = database.execute(_LAST, (first, end)).fetchall()
        if last is None or last + 1 < end:
            return first if last is None else last + 1
        # A full millisecond continues in the next one.
        first = end


def _expression(term: Term) -> str:
    """Return a term for FTS5: a quoted string, whose tokens follow each other."""
    text = " ".join(term.tokens)
    return f'"{text}"*' if term.prefix else f'"{text}"'


def _milliseconds(at: datetime) -> int:
    aware = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return (min(max(aware, _EPOCH), _LATEST) - _EPOCH) // _MILLISECOND


def _moment(milliseconds: int) -> datetime:
    return _EPOCH + milliseconds * _MILLISECOND
