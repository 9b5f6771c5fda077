"""A queued message as the page shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from clawtap_core.model import Attachment, QueuedMessage
from clawtap_core.model.moments import wire_time


@dataclass(frozen=True, slots=True)
class QueuedRow:
    """A message; `until` when it waits for its machine, `late` if the machine came too late."""

    id: str
    text: str
    attachments: Sequence[Attachment]
    until: str
    late: bool


def queued_rows(queue: Iterable[QueuedMessage]) -> list[QueuedRow]:
    """Return the rows of queued messages."""
    now = datetime.now(timezone.utc)
    return [
        QueuedRow(
            message.id,
            message.message,
            message.attachments,
            wire_time(message.until) if message.until else "",
            message.until is not None and message.until <= now,
        )
        for message in queue
    ]
