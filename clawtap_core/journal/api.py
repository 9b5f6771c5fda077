"""What the rest of ClawTap knows of the journal, so that another store can take its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from clawtap_core.model import Event, Prompt, QueuedMessage, Session

Value = Session | Prompt | QueuedMessage


@dataclass(frozen=True, slots=True)
class Change:
    """The changes that some events mean: values by their id, markers by session and key.

    A marker of None is deleted.
    """

    upsert: tuple[Value, ...] = ()
    delete: tuple[Session | QueuedMessage, ...] = ()
    markers: Mapping[tuple[str, str], Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """What the journal knows at the start: sessions, open prompts, queued messages, markers."""

    sessions: tuple[Session, ...]
    prompts: tuple[Prompt, ...]
    queue: tuple[QueuedMessage, ...]
    markers: Mapping[tuple[str, str], Any]


class Journal(Protocol):
    """The append-only log of everything that happened, and what is true now."""

    @property
    def epoch(self) -> str:
        """This journal's own id; another journal has another."""

    @property
    def last(self) -> int:
        """The last event's sequence number; 0 when there is none."""

    def append(self, events: Sequence[Event], change: Change | None = None) -> list[Event]:
        """Write events and what follows from them, all or nothing; the events with their `seq`."""

    def read(self, after: int = 0, limit: int = 200, session_id: str | None = None) -> list[Event]:
        """Events after a sequence number, oldest first."""

    def kept(self) -> Kept:
        """What is true now."""

    def prompt(self, request_id: str) -> Prompt | None:
        """A prompt by its id or tool call id, open or ended (while retention keeps it)."""

    def prune(self, before: datetime, most: int | None = None) -> int:
        """Forget events from before a moment, and all but the `most` latest ones.

        Prompts and sessions that ended before go too; what is open, alive or queued stays. The
        last event always stays, so that no number is given twice. How many events went.
        """

    def close(self) -> None:
        """Close the store."""
