"""Events, as the journal keeps and SSE streams them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from clawtap_core.model.machine import Machine, MachineStatus
from clawtap_core.model.screen import Screen


@dataclass(frozen=True, eq=False)
class Event:
    """An event, ready for the wire.

    `data` is JSON-ready (camelCase). `seq` counts the journal's events from 1; None marks events
    that are streamed but not kept (text deltas, screens). `data` repeats `session_id`. `machine`:
    where it happened, in a list over several machines.
    """

    type: str
    at: datetime
    session_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    seq: int | None = None
    machine: Machine | None = None

    @cached_property
    def json(self) -> str:
        """`data` as one line of JSON, encoded once for all clients."""
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, eq=False, kw_only=True)
class ScreenEvent(Event):
    """A `screen` event with its screen, which the server renders once for all clients."""

    screen: Screen


@dataclass(frozen=True, eq=False, kw_only=True)
class RemoteEvent(Event):
    """An event of another machine of the fleet, at its `position` in that machine's stream.

    `stale`: no event, but a note that the whole state of that machine has to be read again.
    """

    machine_id: str
    position: str
    stale: bool = False


@dataclass(frozen=True, slots=True)
class JournalPage:
    """A piece of the journal, oldest first, and its last sequence number."""

    events: tuple[Event, ...]
    last: int


@dataclass(frozen=True, slots=True)
class LatestEvents:
    """Past events, newest first. `cursor` asks for the next page.

    `missing`: machines whose events are not among them; `detail` says why.
    """

    events: tuple[Event, ...] = ()
    cursor: str | None = None
    missing: tuple[MachineStatus, ...] = ()
