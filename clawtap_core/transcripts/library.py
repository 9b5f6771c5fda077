"""The transcripts of one adapter's CLI: where they are, and which conversations they hold."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from operator import attrgetter
from pathlib import Path
from typing import Any

from clawtap_core.host import Adapter
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import (
    EarlierTranscript,
    Message,
    TranscriptInfo,
    TranscriptQueries,
    TranscriptSource,
)
from clawtap_core.system.regular_file import open_regular
from clawtap_core.transcripts.database import (
    DatabaseConversation,
    Stamp,
    conversation_rows,
    json_line,
    stamp_of,
)
from clawtap_core.transcripts.pages import Pages, read_end
from clawtap_core.transcripts.reader import LARGE, EarlierFile
from clawtap_core.transcripts.transcript import Transcript

log = logging.getLogger(__name__)
HEAD = 64 << 10
MOST_EARLIER = 100  # files that a conversation went through
TAIL = 20  # messages of a transcript's tail
TAILS = 32  # tails that are remembered
STATUSES = 1000  # latest statuses that are remembered
_NAME = re.compile(r"[\w-]{1,128}")  # of a conversation in a database: it becomes part of a path
_LATEST = 4_102_444_800_000  # the year 2100, in milliseconds


class Library:
    """The transcripts below the roots that the adapter names; nothing else is read."""

    def __init__(self, adapter: Adapter, env: Mapping[str, str]) -> None:
        self._adapter = adapter
        self._env = env
        self._known: dict[tuple[str, int], tuple[int, TranscriptInfo | None]] = {}
        self._logged: set[str] = set()
        self._tails: LimitedDict[Transcript, Sequence[Message]] = LimitedDict(TAILS)
        self._statuses: LimitedDict[tuple[Path, int, datetime], Mapping[str, Any]] = LimitedDict(
            STATUSES
        )
        self._continued: dict[EarlierTranscript, tuple[tuple[EarlierFile, ...], str | None]] = {}
        self._databases: dict[Path, tuple[Stamp, dict[bytes, Transcript | None]]] = {}

    def find(self, cwd: str = "", *, since: float = 0.0) -> list[Transcript]:
        """Return transcripts changed since a time, newest first; of one folder if `cwd` is set."""
        files: list[tuple[os.stat_result, Path, bool]] = []
        stored: list[Transcript] = []
        for source in self._sources(cwd):
            for path in Path(source.root).glob(source.pattern):
                stat = self._stat(path) if _inside(path, source.root) else None
                if stat and source.queries:
                    stored += self._stored_in(path, source.queries)
                elif stat and stat.st_mtime >= since:
                    files.append((stat, path, source.rewritten))
        files.sort(key=lambda file: file[0].st_mtime, reverse=True)
        transcripts = [transcript for file in files if (transcript := self._described(*file))]
        recent = [transcript for transcript in stored if transcript.changed_at.timestamp() >= since]
        if not recent:
            return transcripts
        return sorted((*transcripts, *recent), key=attrgetter("changed_at"), reverse=True)

    def conversations(self) -> list[Transcript]:
        """Return the transcript in use of each conversation, without those of subagents."""
        in_use: dict[str, Transcript] = {}
        for transcript in self.find():
            name = transcript.info.cli_session_id
            other = in_use.get(name)
            if not transcript.info.origin and (other is None or transcript.rank > other.rank):
                in_use[name] = transcript
        return list(in_use.values())

    def at(self, path: Path) -> Transcript | None:
        """Return the transcript at a path, if it is in this CLI's folders."""
        stat = self._stat(path)
        for source in self._sources(""):
            if source.queries:
                file = path.parent
                if self._stat(file) and _inside(file, source.root) and file.match(source.pattern):
                    stored = self._stored_in(file, source.queries)
                    return next((row for row in stored if row.path == path), None)
                continue
            listed = _inside(path, source.root) and path.match(Path(source.pattern).name)
            if stat and listed:
                return self._described(stat, path, source.rewritten)
        return None

    def moved(self, transcript: Transcript) -> Transcript | None:
        """Return a transcript that its CLI moved to another folder; None if it did not."""
        if transcript.rows or self._stat(transcript.path):
            return None
        path = self._named(transcript.path.name)
        return self.at(path) if path else None

    def companions(self, transcript: Transcript) -> list[Transcript]:
        """Return the transcripts of a transcript's subagents."""
        if not transcript.info.companions:
            return []
        folder, companions = transcript.path.parent, []
        roots = [source.root for source in self._sources(transcript.info.cwd or "")]
        for found in folder.glob(transcript.info.companions):
            path = Path(os.path.normpath(found))
            stat = self._stat(path)
            if stat is None or not any(_inside(path, root) for root in (str(folder), *roots)):
                continue
            if path == transcript.path:
                continue
            if companion := self._described(stat, path, False):
                companions.append(companion)
        return companions

    def tail(self, transcript: Transcript) -> Sequence[Message]:
        """Return the last messages of a transcript, cached."""
        if transcript not in self._tails:
            messages, _ = Pages(transcript, self._adapter.parse_transcript).last(TAIL)
            self._tails[transcript] = messages
        return self._tails[transcript]

    def latest_status(self, transcript: Transcript) -> Mapping[str, Any]:
        """Return the latest model, summary and the like of a transcript, cached."""
        key = (transcript.path, transcript.size, transcript.changed_at)
        if key not in self._statuses:
            status: dict[str, Any] = {}
            # A rewritten one is read whole.
            if not transcript.rewritten or transcript.size <= LARGE:
                window = read_end(transcript, self._adapter.parse_transcript, HEAD)
                for event in window.events():
                    if event.type == "status_update":
                        status.update(event.data)
            self._statuses[key] = status
        return self._statuses[key]

    def _sources(self, cwd: str) -> Sequence[TranscriptSource]:
        return self._adapter.transcript_sources(self._env, cwd) or ()

    def _stat(self, path: Path) -> os.stat_result | None:
        try:
            stat = path.stat()
        except OSError:
            return None
        return stat if path.is_file() else None

    def _stored_in(self, database: Path, queries: TranscriptQueries) -> list[Transcript]:
        """Return the conversations of a database, as they were when it changed last."""
        try:
            stamp, (before, described) = stamp_of(database), self._databases.get(database, ((), {}))
            if before != stamp:
                rows = {
                    json_line(row): row
                    for row in conversation_rows(database, queries.conversations)
                }
                # Most rows are as they were: only a new one is described.
                described = {
                    line: described[line]
                    if line in described
                    else self._of_row(database, queries, row, line)
                    for line, row in rows.items()
                }
                self._databases[database] = (stamp, described)
        except OSError as error:
            self._log_once(database, error)
            return []
        return [transcript for transcript in described.values() if transcript]

    def _of_row(
        self, database: Path, queries: TranscriptQueries, row: Mapping[str, Any], line: bytes
    ) -> Transcript | None:
        name, changed_at = row.get("id"), row.get("changed_at")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            return None
        if not isinstance(changed_at, int) or not 0 <= changed_at < _LATEST:
            return None
        path = database / name
        info = self._adapter.describe_transcript(str(path), line)
        if info is None:
            return None
        changed = datetime.fromtimestamp(changed_at / 1000, timezone.utc)
        source = DatabaseConversation(database, queries.records, name)
        return Transcript(path, info, True, 0, changed, source)

    def _log_once(self, path: Path, error: OSError) -> None:
        if str(path) not in self._logged:
            self._logged.add(str(path))
            log.warning("transcript %r cannot be read: %s", str(path), error.strerror)

    def _described(self, stat: os.stat_result, path: Path, rewritten: bool) -> Transcript | None:
        info = self._info(stat, path)
        if info is None:
            return None
        earlier: tuple[EarlierFile, ...] = ()
        if info.continues:
            earlier, title = self._earlier(info.continues)
            info = replace(info, title=title or info.title)
        changed = datetime.fromtimestamp(stat.st_mtime, timezone.utc)
        return Transcript(path, info, rewritten, stat.st_size, changed, earlier=earlier)

    def _earlier(self, last: EarlierTranscript) -> tuple[tuple[EarlierFile, ...], str | None]:
        """Return the files in which a conversation began, the first one first, and its title."""
        if last not in self._continued:
            files: list[EarlierFile] = []
            title: str | None = None
            part: EarlierTranscript | None = last
            while part and len(files) < MOST_EARLIER and (path := self._named(part.name)):
                files.insert(0, EarlierFile(path, part.end))
                info = self._describe(path)
                title, part = (info.title, info.continues) if info else (title, None)
            self._continued[last] = (tuple(files), title)
        return self._continued[last]

    def _named(self, name: str) -> Path | None:
        """Return the path of a transcript by a glob for its name."""
        for source in self._sources(""):
            folders = str(Path(source.pattern).parent)
            for path in Path(source.root).glob(f"{folders}/{name}"):
                if self._stat(path) and _inside(path, source.root):
                    return path
        return None

    def _info(self, stat: os.stat_result, path: Path) -> TranscriptInfo | None:
        key = (str(path), stat.st_ino)
        size, info = self._known.get(key, (-1, None))
        # A short file may say more once it has grown.
        if size < 0 or (size != stat.st_size and size < HEAD):
            info = self._describe(path)
        if info and info.cwd_file and not info.cwd:
            # The CLI may write the file that names the folder later than the transcript.
            info = replace(info, cwd=_folder_in(path.parent / info.cwd_file))
        self._known[key] = (stat.st_size, info)
        return info

    def _describe(self, path: Path) -> TranscriptInfo | None:
        try:
            with open_regular(path) as file:
                head = file.read(HEAD)
            time.sleep(0)  # lets the other greenlets of `serve` run while many files are read
        except OSError as error:
            self._log_once(path, error)
            return None
        info = self._adapter.describe_transcript(str(path), head) if head else None
        if info and info.origin_file:
            other = path.parent / info.origin_file
            beginning = _head(other)
            if beginning is not None:
                named = self._adapter.describe_transcript(str(other), beginning)
                info = replace(info, origin=(named and named.origin) or info.origin)
        return info


def _inside(path: Path, root: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _head(path: Path) -> bytes | None:
    """Return the beginning of a file next to a transcript, or None if it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(HEAD)
    except OSError:
        return None


def _folder_in(path: Path) -> str | None:
    """Return the folder that a file of the CLI names, or None."""
    try:
        return (_head(path) or b"").decode().strip() or None
    except UnicodeDecodeError:
        return None
