"""Events: what the journal keeps and SSE streams."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened, ready for the wire.

    `data` is JSON-ready (camelCase). `seq` counts the journal's events from 1; None marks what
    is streamed but not kept (text deltas, screens). `session_id` stands in `data` too.
    """

    type: str
    at: datetime
    session_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    seq: int | None = None

    @cached_property
    def json(self) -> str:
        """`data` as one line of JSON: encoded once, however many clients it goes to."""
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class JournalPage:
    """A piece of the journal, oldest first, and the last sequence number there is."""

    events: tuple[Event, ...]
    last: int
