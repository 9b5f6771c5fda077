"""Private files: written whole or not at all, readable by their owner only."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from clawtap_core.errors import ErrorCode, UsageError


def private_folder(path: Path) -> None:
    """Make the folder with mode 0700; UsageError when it cannot be written."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise _unwritable(path, PermissionError("permission denied"))


def write_private(path: Path, text: str) -> None:
    """Replace the file's contents atomically, with mode 0600."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path.parent, error) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _unwritable(path: Path, error: OSError) -> UsageError:
    reason = error.strerror or str(error)
    return UsageError(
        f"the data folder {path} cannot be written ({reason}); choose another with --data-dir",
        code=ErrorCode.DATA_DIR_NOT_WRITABLE,
    )
