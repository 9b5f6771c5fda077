"""Replace files atomically."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

PRIVATE = 0o600


def replace_file(path: Path, data: bytes, mode: int = PRIVATE) -> None:
    """Replace a file's content; a symbolic link stays, and its target changes."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_file(path: Path) -> bytes | None:
    """Return a file's content, or None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def mode_of(path: Path) -> int:
    """Return a file's permissions, or those of a private file if it does not exist."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return PRIVATE
