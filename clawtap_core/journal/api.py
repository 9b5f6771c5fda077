"""The interface of a journal, so that another store can replace SQLite."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from clawtap_core.model import Event, Prompt, QueuedMessage, Session

Value = Session | Prompt | QueuedMessage


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the current state: values by id, markers by session and key.

    A marker of None is deleted.
    """

    upsert: tuple[Value, ...] = ()
    delete: tuple[Session | QueuedMessage, ...] = ()
    markers: Mapping[tuple[str, str], Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """The state at the start: sessions, open prompts, queued messages, markers."""

    sessions: tuple[Session, ...]
    prompts: tuple[Prompt, ...]
    queue: tuple[QueuedMessage, ...]
    markers: Mapping[tuple[str, str], Any]


class Journal(Protocol):
    """The append-only event log and the current state."""

    @property
    def epoch(self) -> str:
        """Return the id of this journal, which no other journal has."""

    @property
    def last(self) -> int:
        """Return the last event's sequence number, or 0."""

    def append(self, events: Sequence[Event], change: Change | None = None) -> list[Event]:
        """Write events and their change, all or nothing; return the events with their `seq`."""

    def read(self, after: int = 0, limit: int = 200, session_id: str | None = None) -> list[Event]:
        """Return events after a sequence number, oldest first."""

    def latest(
        self,
        before: int | None = None,
        limit: int = 50,
        session_id: str | None = None,
        types: Collection[str] = (),
    ) -> list[Event]:
        """Return events before a sequence number, newest first; only of `types`, if given."""

    def kept(self) -> Kept:
        """Return the current state."""

    def prompt(self, request_id: str) -> Prompt | None:
        """Return a prompt by its id or tool call id, open or ended, while it is retained."""

    def prune(self, before: datetime, most: int | None = None) -> int:
        """Delete events before a moment, and all but the `most` latest; return how many.

        Prompts and sessions that ended before go too; what is open, alive or queued stays. The
        last event always stays, so that no sequence number is used twice.
        """

    def close(self) -> None:
        """Close the store."""
