"""The files that users attach to sessions, kept in private folders until a session is over."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from clawtap_core.errors import (
    ErrorCode,
    Impossible,
    NotFound,
    TooLarge,
    Unavailable,
    attachment_too_large,
)
from clawtap_core.model import MAX_ATTACHMENT_BYTES, Attachment

# The largest size of all files of a session together.
MOST = 200 * 1024 * 1024
_UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)
_LONGEST = 80


class Attachments:
    """The files of all sessions below `folder`; without one, none are accepted."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def keep(self, session_id: str, name: str, data: bytes) -> Attachment:
        """Store a file under a name that is safe in a path and in a message."""
        folder = self._of(session_id)
        if len(data) > MAX_ATTACHMENT_BYTES:
            raise attachment_too_large(MAX_ATTACHMENT_BYTES)
        if sum(each.size for each in self._all(session_id)) + len(data) > MOST:
            raise TooLarge(
                f"the files of one session may have {MOST // 1024 // 1024} MB in total",
                code=ErrorCode.ATTACHMENTS_FULL,
            )
        path = folder / f"{secrets.token_hex(6)}-{safe_name(name)}"
        try:
            # The mode is not applied to parents, and an older version made the first one readable.
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.parent.chmod(0o700)
            folder.mkdir(mode=0o700, exist_ok=True)
            _write(path, data)
        except OSError as error:
            raise Unavailable(
                f"the file could not be stored ({error.strerror or error})", code=ErrorCode.NOT_KEPT
            ) from error
        return _attachment(path)

    def find(self, session_id: str, names: Sequence[str]) -> tuple[Attachment, ...]:
        """Return the files with these ids; NotFound if one is not the session's."""
        by_id = {attachment.id: attachment for attachment in self._all(session_id)}
        for name in names:
            if name not in by_id:
                raise NotFound(f"no such file: {name!r}", code=ErrorCode.ATTACHMENT_NOT_FOUND)
        return tuple(by_id[name] for name in dict.fromkeys(names))

    def remove(self, session_id: str, name: str) -> None:
        """Delete a file."""
        (found,) = self.find(session_id, [name])
        Path(found.path).unlink(missing_ok=True)

    def drop(self, session_id: str) -> None:
        """Delete a session's files."""
        if self._folder:
            shutil.rmtree(self._of(session_id), ignore_errors=True)

    def sweep(self, sessions: Collection[str]) -> None:
        """Delete the files of all other sessions."""
        if self._folder and self._folder.is_dir():
            for folder in self._folder.iterdir():
                if folder.name not in sessions:
                    shutil.rmtree(folder, ignore_errors=True)

    def _of(self, session_id: str) -> Path:
        if self._folder is None:
            raise Impossible("this server does not store files", code=ErrorCode.NO_ATTACHMENTS)
        return self._folder / session_id

    def _all(self, session_id: str) -> list[Attachment]:
        files: list[Attachment] = []
        # The session has none yet, or somebody removes one, or all of them, at this moment.
        with suppress(FileNotFoundError):
            for path in self._of(session_id).iterdir() if self._folder else ():
                with suppress(FileNotFoundError):
                    files.append(_attachment(path))
        return files


def safe_name(name: str) -> str:
    """Return a file's name without folders and without characters special to paths or messages."""
    base = re.split(r"[/\\]", name)[-1]
    stem, dot, ending = _UNSAFE.sub("-", base).strip("-.").rpartition(".")
    if not dot:
        stem, ending = ending, ""
    return f"{stem[:_LONGEST].strip('-') or 'file'}{dot}{ending[:20]}"


def _write(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _attachment(path: Path) -> Attachment:
    id_, _, name = path.name.partition("-")
    return Attachment(id_, name, path.stat().st_size, str(path))
