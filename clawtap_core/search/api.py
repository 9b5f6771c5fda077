"""The interface of a search index, so that another store can replace SQLite."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from clawtap_core.search.query import Query

# An adapter's id and the CLI's id of a conversation.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class IndexedConversation:
    """A conversation of the index. `stamp` is that of its file when it was read to its end."""

    key: Key
    path: str
    title: str
    cwd: str | None
    changed_at: datetime
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class IndexedMessage:
    """The searchable text of a message. `digest` shows whether it has changed."""

    id: str
    role: str
    at: datetime
    text: str
    digest: int


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that has all the words; `position` orders messages by time."""

    position: int
    key: Key
    message: IndexedMessage


class SearchIndex(Protocol):
    """Messages by their words. It can be filled again from the transcripts at any time."""

    def conversations(self) -> Sequence[IndexedConversation]:
        """Return every conversation."""

    def digest(self, text: str) -> int:
        """Return a digest of a text that says nothing about it outside this index."""

    def digests(self, key: Key) -> Mapping[str, int]:
        """Return the digests of a conversation's messages by their ids."""

    def write(
        self,
        conversation: IndexedConversation,
        messages: Sequence[IndexedMessage] = (),
        removed: Collection[str] = (),
    ) -> None:
        """Add or replace messages of a conversation, and remove others, all or nothing."""

    def drop(self, key: Key) -> None:
        """Remove a conversation with its messages."""

    def find(self, query: Query, *, before: int | None, limit: int) -> Sequence[FoundMessage]:
        """Return the messages that have all the words, newest first."""

    def close(self) -> None:
        """Close the index."""
