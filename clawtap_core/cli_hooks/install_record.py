"""What was put into which settings file, and how the file was before: kept in the data folder."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from clawtap_core.cli_hooks.bridge import FOLDER, hook_folder
from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.system.atomic_file import read_file, replace_file


@dataclass(frozen=True, slots=True)
class Written:
    """One settings file that was changed: what was added, and the sum of what was written.

    `before`: the name of the copy of what stood there; None where there was no file. `folders`:
    those that were made for it, the innermost first.
    """

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
    def held(self) -> Iterator[None]:
        """Keep other installations out meanwhile."""
        path = hook_folder(self._data_dir) / "lock"
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def read(self, adapter: str) -> tuple[Written, ...]:
        """What was written for an adapter."""
        return tuple(_written(each) for each in self._all().get(adapter, ()))

    def keep(self, adapter: str, written: tuple[Written, ...]) -> None:
        """Note what was written; nothing takes the adapter off the record."""
        kept = {**self._all(), adapter: [asdict(each) for each in written]}
        found = {name: files for name, files in kept.items() if files}
        replace_file(self._path, (json.dumps(found, indent=1) + "\n").encode())

    def copy(self, adapter: str, number: int, path: Path, data: bytes) -> str:
        """Keep what a file held; the name of the copy."""
        name = f"{adapter}-{number}{path.suffix}"
        replace_file(self._folder / "backup" / name, data)
        return name

    def before(self, written: Written) -> bytes | None:
        """What a file held before; None where there was none."""
        if written.before is None:
            return None
        return read_file(self._folder / "backup" / written.before)

    def forget(self, written: Written) -> None:
        """The copy is needed no more."""
        if written.before is not None:
            (self._folder / "backup" / written.before).unlink(missing_ok=True)

    def _all(self) -> dict[str, list[dict[str, Any]]]:
        data = read_file(self._path)
        try:
            found = json.loads(data or b"{}")
            return {str(name): list(files) for name, files in found.items()}
        except (ValueError, AttributeError, TypeError) as error:
            raise Unavailable(
                f"{self._path} is damaged: {error}", code=ErrorCode.RECORD_DAMAGED
            ) from error


def total(data: bytes) -> str:
    """The sum by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def _written(kept: Mapping[str, Any]) -> Written:
    written = Written(**kept)
    return replace(written, folders=tuple(written.folders))
