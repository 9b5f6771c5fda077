"""Record which settings files were changed, and how, in the data folder."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from clawtap_core.cli_hooks.bridge import FOLDER, hook_folder
from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.system.atomic_file import read_file, replace_file


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A changed settings file: what was added, and the checksum of the result.

    `before` names the backup, None if there was no file; `folders` were created for it,
    innermost first.
    """

    # The names of the fields are in installed.json.
    path: str
    added: Mapping[str, Any]
    total: str
    before: str | None = None
    mode: int = 0o600
    folders: tuple[str, ...] = field(default=())


class Record:
    """The record of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._folder = data_dir / FOLDER
        self._path = self._folder / "installed.json"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock out other installations."""
        path = hook_folder(self._data_dir) / "lock"
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def read(self, adapter: str) -> tuple[ChangedFile, ...]:
        """Return what was written for an adapter."""
        return tuple(
            ChangedFile(**{**fields, "folders": tuple(fields["folders"])})
            for fields in self._all().get(adapter, ())
        )

    def save(self, adapter: str, files: tuple[ChangedFile, ...]) -> None:
        """Record what was written for an adapter, or remove it if nothing was."""
        record = {**self._all(), adapter: [asdict(file) for file in files]}
        record = {name: changed for name, changed in record.items() if changed}
        replace_file(self._path, (json.dumps(record, indent=1) + "\n").encode())

    def back_up(self, adapter: str, number: int, path: Path, data: bytes) -> str:
        """Back up a file's contents and return the backup's name."""
        name = f"{adapter}-{number}{path.suffix}"
        replace_file(self._folder / "backup" / name, data)
        return name

    def backup_of(self, file: ChangedFile) -> bytes | None:
        """Return a file's former contents, or None if there was no file."""
        if file.before is None:
            return None
        return read_file(self._folder / "backup" / file.before)

    def forget(self, file: ChangedFile) -> None:
        """Delete the backup."""
        if file.before is not None:
            (self._folder / "backup" / file.before).unlink(missing_ok=True)

    def _all(self) -> dict[str, list[dict[str, Any]]]:
        data = read_file(self._path)
        try:
            record = json.loads(data or b"{}")
            return {str(name): list(files) for name, files in record.items()}
        except (ValueError, AttributeError, TypeError) as error:
            raise Unavailable(
                f"{self._path} is damaged: {error}", code=ErrorCode.RECORD_DAMAGED
            ) from error


def checksum(data: bytes) -> str:
    """Return the checksum of a file's contents."""
    return hashlib.sha256(data).hexdigest()
