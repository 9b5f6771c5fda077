"""A conversation that a CLI keeps on disk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from clawtap_core.model import TranscriptInfo
from clawtap_core.transcripts.cpu_budget import CpuBudget
from clawtap_core.transcripts.database import DatabaseConversation
from clawtap_core.transcripts.reader import AppendedFile, EarlierFile, Parse, RewrittenFile


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript file, and what its beginning says; or `rows` of a database.

    `earlier` are the files that it continues, the first one first.
    """

    path: Path
    info: TranscriptInfo
    rewritten: bool
    size: int
    changed_at: datetime
    rows: DatabaseConversation | None = None
    earlier: tuple[EarlierFile, ...] = ()

    @property
    def rank(self) -> tuple[str, int]:
        """What is greatest for the file in use, of several of one conversation."""
        return self.info.revision, self.size

    @property
    def folder(self) -> Path:
        """The folder in which it is written."""
        return (self.rows.database if self.rows else self.path).parent

    def length(self) -> int:
        """Return the bytes that it has by now, with those of earlier files."""
        try:
            size = self.path.stat().st_size
        except OSError:  # of a database, or gone by now
            size = 0
        return size + sum(file.end for file in self.earlier)

    def is_fork_of(self, path: Path | None) -> bool:
        """Return True if this conversation began in the one at a path."""
        return any(file.path == path for file in self.earlier)

    def open(
        self, parse: Parse, *, start: int = 0, pace: CpuBudget | None = None
    ) -> AppendedFile | RewrittenFile:
        """Return a reader, which begins at an offset into the earlier files and this one.

        One of a file that is rewritten reads it whole, as often as its `pace` allows.
        """
        if self.rewritten:
            return RewrittenFile(self.path, parse, pace=pace, rows=self.rows)
        return AppendedFile(self.path, parse, start=start, earlier=self.earlier)
