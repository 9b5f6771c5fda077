"""Incremental reading of a transcript, appended or rewritten.

Each byte is parsed once, and counts as read only when it was parsed. A file that was
replaced, or became shorter, is read from its start again.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from clawtap_core.model import Parsed
from clawtap_core.system.regular_file import open_regular
from clawtap_core.transcripts.cpu_budget import CpuBudget
from clawtap_core.transcripts.database import DatabaseConversation, Stamp, stamp_of

log = logging.getLogger(__name__)
Parse = Callable[[bytes, Any], Parsed | None]
CHUNK = 1 << 20
LONGEST_LINE = 32 << 20
UNEXPLAINED = "a record of which its adapter does not say why"
PASSED_AT_ONCE = 32 << 20  # of a line that is left out: reading holds up everybody else
LARGE = 2 << 20  # log a warning for a rewritten file above this size


@dataclass(frozen=True, slots=True)
class EarlierFile:
    """A file in which a conversation began, and how many bytes of it belong to that."""

    path: Path
    end: int


class TranscriptFile(Protocol):
    """A file that is read as it changes.

    `replaced` becomes True when earlier messages are void; the reader's user resets it.
    `unfinished`: the file was caught half written and should be read again soon. `skipped`:
    how many records were not understood, by reason.
    """

    path: Path
    replaced: bool
    unfinished: bool
    skipped: Counter[str]

    def read(self) -> Iterator[Parsed]:
        """Yield what is new."""


def reasons(parsed: Parsed) -> Mapping[str, int]:
    """Return how many records were skipped, by reason; an adapter may only have counted them."""
    if left := parsed.skipped - sum(parsed.why.values()):
        return {**parsed.why, UNEXPLAINED: left}
    return parsed.why


class _File:
    """What both kinds of files have in common."""

    def __init__(self, path: Path, parse: Parse) -> None:
        self.path = path
        self.replaced = False
        self.unfinished = False
        self.skipped: Counter[str] = Counter()
        self._parse = parse
        self._state: Any = None
        self._trouble = ""

    def _log_once(self, error: OSError) -> None:
        trouble = f"{type(error).__name__}: {error.strerror}"
        if trouble != self._trouble:
            log.warning("transcript %r cannot be read: %s", str(self.path), trouble)
        self._trouble = trouble


class AppendedFile(_File):
    """A file of lines that only grows, read between `start` and `end`.

    The `earlier` files are read first; `start` counts their bytes, too.
    """

    def __init__(
        self,
        path: Path,
        parse: Parse,
        *,
        start: int = 0,
        end: int | None = None,
        earlier: Sequence[EarlierFile] = (),
    ) -> None:
        super().__init__(path, parse)
        self._earlier = earlier
        self._unread: list[AppendedFile] = []
        self._begin(start)
        self._end = end
        self._inode: int | None = None

    def _begin(self, start: int) -> None:
        self._unread = []
        for file in self._earlier:
            if start < file.end:
                self._unread.append(AppendedFile(file.path, self._parse, start=start, end=file.end))
            start = max(start - file.end, 0)
        self.offset, self._aligned = start, start == 0

    def read(self) -> Iterator[Parsed]:
        """Yield what the complete lines since the last reading say."""
        try:
            with open_regular(self.path) as file:
                self._check(os.fstat(file.fileno()))
                self._trouble = ""
                yield from self._read_earlier()
                yield from self._read(file)
        except OSError as error:
            self._log_once(error)

    def _read_earlier(self) -> Iterator[Parsed]:
        while self._unread:
            file = self._unread.pop(0)
            yield from file.read()
            self.skipped.update(file.skipped)

    def _check(self, stat: os.stat_result) -> None:
        replaced = self._inode is not None and stat.st_ino != self._inode
        if replaced or stat.st_size < self.offset:
            log.warning("transcript %r was replaced; it is read from its start", str(self.path))
            self._begin(0)
            self._state = None
            self.replaced = True
            self.skipped.clear()
        self._inode = stat.st_ino

    def _read(self, file: BinaryIO) -> Iterator[Parsed]:
        file.seek(self.offset)
        self.unfinished = False
        if not self._aligned and not self._pass_line(file):
            return
        while lines := self._lines(file):
            parsed = self._parse(lines, self._state)
            self.offset += len(lines)
            if parsed is not None:
                self._state = parsed.state
                self.skipped.update(reasons(parsed))
                yield parsed

    def _lines(self, file: BinaryIO) -> bytes:
        """Return the next complete lines, about a chunk, or b""."""
        left = CHUNK if self._end is None else min(CHUNK, self._end - self.offset)
        if left <= 0:
            return b""
        file.seek(self.offset)
        data = file.read(left)
        if (end := data.rfind(b"\n") + 1) or len(data) < left:
            return data[:end]
        rest = file.readline(LONGEST_LINE)
        if not rest or rest.endswith(b"\n"):
            return data + rest if rest else b""
        if len(rest) < LONGEST_LINE:
            return b""
        log.warning("a line of %r is too long and left out", str(self.path))
        return self._lines(file) if self._pass_line(file) else b""

    def _pass_line(self, file: BinaryIO) -> bool:
        """Leave out the rest of a line, a piece at a time; return True at its end."""
        before = file.tell()
        self._aligned = _to_end_of_line(file)
        self.offset = file.tell()
        self.unfinished = not self._aligned and self.offset - before >= PASSED_AT_ONCE
        return self._aligned


def _to_end_of_line(file: BinaryIO) -> bool:
    """Skip to the end of the line; return False if it does not end soon."""
    for _ in range(PASSED_AT_ONCE // CHUNK):
        if (piece := file.readline(CHUNK)).endswith(b"\n"):
            return True
        if not piece:
            break
    return False


class RewrittenFile(_File):
    """A file that is rewritten with every change; a half written one is read again later.

    Reading a large one is expensive, so it waits until its `pace` allows it. `rows` are read in
    place of a file.
    """

    def __init__(
        self,
        path: Path,
        parse: Parse,
        *,
        pace: CpuBudget | None = None,
        rows: DatabaseConversation | None = None,
    ) -> None:
        super().__init__(path, parse)
        self._pace = pace or CpuBudget()
        self._rows = rows
        self._stamp: Stamp | None = None
        self._mark: int | None = None
        self._warned = False

    def read(self) -> Iterator[Parsed]:
        """Yield what is new in the whole file, if its content changed."""
        self.unfinished = False
        if self._pace.allows():
            began = self._pace.clock()
            try:
                yield from self._read()
            finally:
                self._pace.took(self._pace.clock() - began)

    def _read(self) -> Iterator[Parsed]:
        try:
            stamp, data = self._load()
            self._trouble = ""
        except OSError as error:
            self._log_once(error)
            return
        if stamp == self._stamp:
            return
        if len(data) > LARGE and not self._warned and self._rows is None:
            self._warned = True
            log.warning("transcript %r is rewritten whole: %d MB", str(self.path), len(data) >> 20)
        mark = hash(data)
        if mark != self._mark:
            parsed = self._parse(data, self._state)
            self.unfinished = parsed is None or not parsed.consumed
            if parsed is None or self.unfinished:
                return
            self._state, self.replaced = parsed.state, parsed.replaces_all
            self.skipped = Counter(reasons(parsed))
            yield parsed
        self._stamp, self._mark = stamp, mark

    def _load(self) -> tuple[Stamp, bytes]:
        """Return the stamp of the content and, where that is new, the content."""
        if self._rows:
            stamp = stamp_of(self._rows.database)
            return stamp, b"" if stamp == self._stamp else self._rows.read()
        with open_regular(self.path) as file:
            stat = os.fstat(file.fileno())
            stamp = (stat.st_size, stat.st_mtime_ns)
            return stamp, b"" if stamp == self._stamp else file.read()
