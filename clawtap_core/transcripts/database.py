"""Conversations in the SQLite database of a CLI, read by the queries that its adapter gives.

The CLI writes while we read: transactions are short and read only, and a database that is not in
WAL mode is left alone, because there a reader would hold up the writer.
"""

from __future__ import annotations

import errno
import json
import math
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawtap_core.system.regular_file import open_regular

CONVERSATIONS = 1000  # of one database, the latest ones
LONGEST_CONVERSATION = 16 << 20  # bytes of rows; of a longer one the latest are read
_SECONDS = 2.0  # for one query
_OPERATIONS = 10_000  # of SQLite's machine, between two looks at the clock
_HEADER = b"SQLite format 3\0"
_WAL = b"\x02\x02"
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)

Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DatabaseConversation:
    """One conversation of a database, read like a file that is rewritten with every change."""

    database: Path
    query: str
    name: str

    def read(self) -> bytes:
        """Return its rows as JSON lines, in the order of the conversation."""
        lines: list[bytes] = []
        size = 0
        for row in _rows(self.database, self.query, {"id": self.name}):
            lines.append(json_line(row))
            size += len(lines[-1])
            if size > LONGEST_CONVERSATION:
                break
        return b"".join(reversed(lines))


def conversation_rows(database: Path, query: str) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each conversation, the latest first."""
    for count, row in enumerate(_rows(database, query, {})):
        if count >= CONVERSATIONS:
            return
        yield row


def stamp_of(database: Path) -> Stamp:
    """Return what changes with each change of the database; OSError where it cannot be read."""
    stats = [database.stat()]
    with suppress(FileNotFoundError):
        stats.append(_beside(database).stat())
    return tuple(value for stat in stats for value in (stat.st_ino, stat.st_size, stat.st_mtime_ns))


def _rows(database: Path, query: str, values: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a query; OSError where the database cannot be read."""
    _check(database)
    try:
        with _opened(database) as connection:
            cursor = connection.execute(query, values)
            names = [column[0] for column in cursor.description or ()]
            for row in cursor:
                yield dict(zip(names, row, strict=True))
    except sqlite3.Error as error:
        raise OSError(errno.EIO, f"SQLite: {error}", str(database)) from error


def _check(database: Path) -> None:
    with open_regular(database) as file:
        head = file.read(20)
    if not head.startswith(_HEADER) or head[18:20] != _WAL:
        raise OSError(errno.EINVAL, "it is no SQLite database in WAL mode", str(database))


@contextmanager
def _opened(database: Path) -> Iterator[sqlite3.Connection]:
    # Without a log nobody has it open: nothing is locked then, and no file made next to it.
    mode = "mode=ro" if _beside(database).exists() else "immutable=1"
    uri = f"{database.absolute().as_uri()}?{mode}"
    until = time.monotonic() + _SECONDS
    with closing(sqlite3.connect(uri, uri=True, timeout=0.2, isolation_level=None)) as connection:
        # Names and texts of the database are somebody else's.
        connection.text_factory = lambda data: data.decode(errors="replace")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: time.monotonic() > until, _OPERATIONS)
        yield connection


def _authorize(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _beside(database: Path) -> Path:
    """Return the path of its write-ahead log."""
    return database.with_name(f"{database.name}-wal")


def json_line(row: Mapping[str, Any]) -> bytes:
    """Return a row as a JSON object and a newline; what JSON cannot say is null."""
    values = {name: _plain(value) for name, value in row.items()}
    return json.dumps(values, ensure_ascii=False).encode(errors="replace") + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value
