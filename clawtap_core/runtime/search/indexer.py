"""The thread that fills the search index: followed conversations soon, stored ones slowly.

It reads the CLIs' transcripts by itself. A fifth of a core at most is spent on that.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from clawtap_core.host import Adapter, Host
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.runtime.search.transcript_reader import TranscriptReader
from clawtap_core.runtime.timings import Timings
from clawtap_core.search.api import IndexedConversation, IndexedMessage, Key, SearchIndex
from clawtap_core.transcripts.library import Library
from clawtap_core.transcripts.transcript import Transcript

log = logging.getLogger(__name__)
LARGEST_REWRITTEN = 8 << 20  # bytes: such a file can only be parsed whole, at each change
_BATCH = 50
_READERS = 50
_HIDDEN = "•••"


class Indexer:
    """Keeps the index equal to the transcripts, newest first. `library` is that of an adapter."""

    def __init__(
        self,
        index: SearchIndex,
        host: Host,
        library: Callable[[Adapter], Library],
        timings: Timings,
    ) -> None:
        self._index = index
        self._host = host
        self._library = library
        self._timings = timings
        self._readers: LimitedDict[Key, TranscriptReader] = LimitedDict(_READERS)
        self._hidden: frozenset[str] = frozenset()
        self._wake = threading.Condition()
        self._changed: dict[tuple[str, Path], None] = {}
        self._scanned = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="clawtap-search", daemon=True)
        self._thread.start()

    @property
    def complete(self) -> bool:
        """Return True once every stored conversation was read."""
        return self._scanned

    def changed(self, adapter: str, path: Path) -> None:
        """Read this transcript soon."""
        with self._wake:
            self._changed[adapter, path] = None
            self._wake.notify_all()

    def hide(self, secret: str) -> None:
        """Keep a secret answer out of the index, wherever a CLI may write it."""
        if secret.strip():
            self._hidden |= {secret.strip()}

    def close(self) -> None:
        """End the thread; what it has not read is read after the next start."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        self._thread.join(5)

    def _run(self) -> None:
        scan_at = time.monotonic()
        while not self._closed:
            try:
                self._read_changed()
                if time.monotonic() >= scan_at:
                    self._scan()
                    scan_at = time.monotonic() + self._timings.search_scan
            except (sqlite3.Error, OSError) as error:
                log.warning("the search index could not be filled: %s", error)
                scan_at = time.monotonic() + self._timings.search_scan
            except Exception:
                log.warning("the search index could not be filled", exc_info=True)
                scan_at = time.monotonic() + self._timings.search_scan
            with self._wake:
                if not self._changed and not self._closed:
                    self._wake.wait(max(scan_at - time.monotonic(), 0.0))
            # A conversation is written in bursts: one reading is enough for each.
            self._pause(self._timings.search_settle)

    def _pause(self, seconds: float) -> None:
        with self._wake:
            self._wake.wait_for(lambda: self._closed, seconds)

    def _read_changed(self) -> None:
        with self._wake:
            changed, self._changed = self._changed, {}
        for adapter_id, path in changed:
            adapter = next((a for a in self._host.adapters if a.id == adapter_id), None)
            transcript = self._library(adapter).at(path) if adapter else None
            if adapter and transcript and not transcript.info.origin:
                self._read(adapter, transcript)

    def _scan(self) -> None:
        """Read every transcript that changed, and drop the conversations that are gone."""
        stamps = {known.key: (known.stamp, known.path) for known in self._index.conversations()}
        stored = list(self._stored())
        for adapter, transcript in sorted(
            stored, key=lambda pair: pair[1].changed_at, reverse=True
        ):
            if self._closed:
                return
            key = (adapter.id, transcript.info.cli_session_id)
            if stamps.pop(key, None) != (_stamp(transcript), str(transcript.path)):
                self._read_changed()
                self._read(adapter, transcript)
        for key, (_, path) in stamps.items():
            if not Path(path).exists() or not any(a.id == key[0] for a in self._host.adapters):
                self._readers.pop(key, None)
                self._index.drop(key)
        self._scanned = True

    def _stored(self) -> Iterator[tuple[Adapter, Transcript]]:
        for adapter in self._host.adapters:
            if adapter.has("transcript_sources") and adapter.has("parse_transcript"):
                for transcript in self._library(adapter).conversations():
                    yield adapter, transcript

    def _read(self, adapter: Adapter, transcript: Transcript) -> None:
        if transcript.rewritten and transcript.size > LARGEST_REWRITTEN:
            return
        info = transcript.info
        key, path = (adapter.id, info.cli_session_id), str(transcript.path)
        title = info.title or ""
        conversation = IndexedConversation(key, path, title, info.cwd, transcript.changed_at)
        reader = self._reader(key, adapter, transcript)
        began = time.monotonic()
        try:
            for changes in reader.read():
                batches = range(0, max(len(changes.messages), 1), _BATCH)
                for at in batches:
                    batch = [self._without_hidden(m) for m in changes.messages[at : at + _BATCH]]
                    self._index.write(conversation, batch, () if at else changes.removed)
                    self._pause((time.monotonic() - began) * self._timings.search_rest)
                    if self._closed:
                        return
                    began = time.monotonic()
        except BaseException:
            # What was not written must be read again.
            self._readers.pop(key, None)
            raise
        if not reader.unfinished:
            self._index.write(replace(conversation, stamp=_stamp(transcript)))

    def _reader(self, key: Key, adapter: Adapter, transcript: Transcript) -> TranscriptReader:
        reader = self._readers.pop(key, None)
        if reader is None or reader.path != transcript.path:
            known, digest = self._index.digests(key), self._index.digest
            reader = TranscriptReader(transcript, adapter.parse_transcript, known, digest)
        self._readers[key] = reader
        return reader

    def _without_hidden(self, message: IndexedMessage) -> IndexedMessage:
        text = message.text
        for secret in self._hidden:
            text = text.replace(secret, _HIDDEN)
        return message if text == message.text else replace(message, text=text)


def _stamp(transcript: Transcript) -> str:
    """Return a stamp of this state of the file, or of an earlier one."""
    return f"{transcript.size} {transcript.changed_at.timestamp()}"
