"""The data folder: private, writable, and used by one process at a time."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from clawtap_core.errors import ErrorCode, Unavailable

LOCK = "clawtap.lock"
_OURS = frozenset({LOCK, "journal.db", "token", "devices.json", "hooks", "fleet.key", "machine-id"})


def make_private(folder: Path) -> None:
    """Create the folder with mode 0700, or change its mode."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_ours(folder)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise not_writable(folder, error) from error


def check_ours(folder: Path) -> None:
    """Raise Unavailable if others may read the folder, and it is neither empty nor ClawTap's."""
    if not folder.stat().st_mode & 0o077:
        return
    # Closing somebody's home or /tmp to everybody else would be a bad surprise.
    names = {path.name for path in folder.iterdir()}
    if names and not names & _OURS:
        raise Unavailable(
            f"the folder {folder} holds other things and can be read by other users: give"
            " ClawTap a folder of its own with --data-dir",
            code=ErrorCode.DATA_DIR_NOT_PRIVATE,
        )


def make_file(path: Path) -> None:
    """Create the file with mode 0600, or change its mode; its contents stay."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise not_writable(path.parent, error) from error


class FolderLock:
    """A lock that keeps other processes out of a folder; the kernel frees it on exit."""

    def __init__(self, folder: Path) -> None:
        make_file(folder / LOCK)
        self._file = (folder / LOCK).open("r+", encoding="ascii", errors="replace")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = self._file.read(20).strip() or "unknown"
            self._file.close()
            raise Unavailable(
                f"another ClawTap (process {holder}) uses the data folder {folder}: end it, or"
                " choose another folder with --data-dir",
                code=ErrorCode.DATA_DIR_IN_USE,
            ) from None
        except OSError as error:
            self._file.close()
            raise not_writable(folder, error) from error
        try:
            self._file.truncate(0)
            self._file.write(f"{os.getpid()}\n")
            self._file.flush()
        except OSError as error:
            with suppress(OSError):  # what was not written is written once more
                self._file.close()
            raise not_writable(folder, error) from error

    def release(self) -> None:
        """Release the lock."""
        self._file.close()


def not_writable(folder: Path, error: OSError) -> Unavailable:
    """Return the error for a data folder that cannot be written."""
    reason = error.strerror or str(error)
    return Unavailable(
        f"the data folder {folder} cannot be written ({reason}): give it to this user, or choose"
        " another with --data-dir",
        code=ErrorCode.DATA_DIR_NOT_WRITABLE,
    )
