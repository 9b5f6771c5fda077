"""What changed in a transcript, as messages for the search index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from clawtap_core.model import Parsed
from clawtap_core.search.api import IndexedMessage
from clawtap_core.search.message_text import message_text
from clawtap_core.transcripts.cpu_budget import CpuBudget
from clawtap_core.transcripts.reader import Parse
from clawtap_core.transcripts.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Changes:
    """What the index has to write and to remove."""

    messages: tuple[IndexedMessage, ...] = ()
    removed: tuple[str, ...] = ()


class TranscriptReader:
    """Reads a whole transcript, then what is new in it.

    `digests` are those of the indexed messages: an unchanged message is not written again, and
    one that has left the transcript is removed.
    """

    def __init__(
        self,
        transcript: Transcript,
        parse: Parse,
        digests: Mapping[str, int],
        digest: Callable[[str], int],
    ) -> None:
        self.path = transcript.path
        # The indexer limits its own CPU time, so the file needs no budget.
        self._file = transcript.open(parse, pace=CpuBudget(lambda: 0.0))
        self._digests = dict(digests)
        self._digest = digest
        self._order: dict[str, None] = {}
        self._from_start = True
        self._at = transcript.info.started_at or transcript.changed_at

    def read(self) -> Iterator[Changes]:
        """Yield the changes since the last reading, piece by piece."""
        for parsed in self._file.read():
            if self._file.replaced or parsed.replaces_all:
                self._file.replaced = False
                self._order.clear()
                self._from_start = True
            removed = [name for before in parsed.removed_from for name in self._cut(before)]
            yield self._changes(parsed, removed)
        if self._from_start and self._order:
            self._from_start = False
            yield Changes(removed=self._forget(set(self._digests) - set(self._order)))

    @property
    def unfinished(self) -> bool:
        """Whether the file was half written, or had no message."""
        return self._file.unfinished or not self._order

    def _changes(self, parsed: Parsed, removed: list[str]) -> Changes:
        changed = []
        for message in parsed.messages:
            self._order[message.id] = None
            self._at = message.at or self._at
            text = message_text(message)
            digest = self._digest(text)
            if not text and message.id in self._digests:
                removed.append(message.id)
            elif text and self._digests.get(message.id) != digest:
                self._digests[message.id] = digest
                changed.append(IndexedMessage(message.id, message.role, self._at, text, digest))
        gone = set(removed) - {message.id for message in changed}
        return Changes(tuple(changed), self._forget(gone))

    def _cut(self, name: str) -> list[str]:
        """Remove and return a message and all after it; all messages if it is unknown."""
        order = list(self._order)
        cut = order[order.index(name) :] if name in self._order else order
        for removed in cut:
            del self._order[removed]
        return cut

    def _forget(self, names: set[str]) -> tuple[str, ...]:
        return tuple(name for name in names if self._digests.pop(name, None) is not None)
