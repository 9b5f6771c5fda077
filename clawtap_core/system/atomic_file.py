"""Files that are replaced whole or not at all, whoever else reads them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

PRIVATE = 0o600


def replace_file(path: Path, data: bytes, mode: int = PRIVATE) -> None:
    """Put `data` in the place of what is there. A link stays one: what it leads to changes."""
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
    """What stands in a file; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def mode_of(path: Path) -> int:
    """The rights of a file; those of a private one where there is none."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return PRIVATE
