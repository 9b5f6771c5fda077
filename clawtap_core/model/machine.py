"""Machines: one `clawtap serve` each, several of which share a fleet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class MachineState(str, Enum):
    """Whether a machine can be reached."""

    ONLINE = "online"
    AWAY = "away"


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that a session runs on; `here`: it is the one that answers."""

    id: str
    name: str
    state: MachineState = MachineState.ONLINE
    here: bool = False


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """A machine of the fleet, with what runs and waits there.

    `since`: when it came, or when it was last seen. `detail`: why it cannot be reached, or why
    this one works alone. `round_trip`: how many seconds it took to answer, where that was measured.
    """

    machine: Machine
    version: str
    sessions: int = 0
    pending: int = 0
    since: datetime | None = None
    detail: str | None = None
    round_trip: float | None = None
