"""Opening the journal's SQLite file: check, migrate, explain errors."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable

PATIENCE = 2.0  # seconds to wait while another process, such as a backup, holds the file
_RETRY = 0.02
# NORMAL loses nothing when the process dies; only a power cut may take the last moments.
_SETTINGS = ("journal_mode = WAL", "synchronous = NORMAL", "temp_store = MEMORY")


def open_database(path: Path) -> sqlite3.Connection:
    """Open the journal at this path; create it if it does not exist."""
    with explained(path):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise damaged(path, " ".join(str(verdict).split()))
            for setting in _SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            _migrate(connection, path)
            # SQLite would wait in the one thread that serves everybody: `patiently` does not.
            connection.execute("PRAGMA busy_timeout = 0")
        except BaseException:
            connection.close()
            raise
    return connection


def patiently(
    connection: sqlite3.Connection, statement: str, values: Sequence[Any] = ()
) -> sqlite3.Cursor:
    """Execute a statement; retry for a while if another process holds the file."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return connection.execute(statement, values)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= until:
                raise
        time.sleep(_RETRY)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into errors that name the file and say what to do."""
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise Unavailable(
            f"the journal {path} is closed: {error}", code=ErrorCode.JOURNAL_CLOSED
        ) from (error)
    except sqlite3.OperationalError as error:
        raise Unavailable(
            f"the journal {path} cannot be read or written: {error}", code=ErrorCode.JOURNAL_FAILED
        ) from error
    except sqlite3.DatabaseError as error:
        raise damaged(path, str(error)) from error


def damaged(path: Path, what: str) -> ClawTapError:
    """Return the error for a journal that cannot be trusted; its file is left alone."""
    return Unavailable(
        f"the journal {path} is damaged ({what}) and was left as it is. To go on with a new"
        f" journal, move it away and start again: mv {path} {path}.damaged; running sessions can"
        " be adopted again, open prompts are seen again, the history stays in the old file",
        code=ErrorCode.JOURNAL_DAMAGED,
    )


def check_not_emptied(path: Path) -> None:
    """Refuse an empty file in a folder that was used before: its contents were lost."""
    used = ("token", "devices.json", f"{path.name}-wal")
    emptied = path.is_file() and path.stat().st_size == 0
    if emptied and any((path.parent / name).exists() for name in used):
        raise damaged(path, "it is empty")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Run the missing migrations, each in its own transaction."""
    entries = (files("clawtap_core.journal") / "migrations").iterdir()
    scripts = sorted((entry.name, entry) for entry in entries if entry.name.endswith(".sql"))
    migrations = [entry.read_text(encoding="utf-8") for _, entry in scripts]
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise Unavailable(
            f"the journal {path} was written by a newer ClawTap (version {version} of its tables;"
            f" this one knows {len(migrations)}): update ClawTap, or choose another --data-dir",
            code=ErrorCode.JOURNAL_TOO_NEW,
        )
    if version == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise damaged(path, "it holds tables of another program")
    for number, script in enumerate(migrations[version:], start=version + 1):
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {number};\nCOMMIT;"
        )
