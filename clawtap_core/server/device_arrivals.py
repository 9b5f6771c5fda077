"""The devices that reached this server from elsewhere, to show them to its user."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from clawtap_core.limited_dict import LimitedDict

# Strangers can send any name, so few are kept.
_MOST = 20


@dataclass(frozen=True, slots=True)
class Arrival:
    """A device that reached this server: `stage` is "certificate", "page" or "signed in"."""

    name: str
    phone: bool
    stage: str
    at: datetime

    @property
    def sentence(self) -> str:
        """Return what happened."""
        who = "Your phone" if self.phone else "Another device"
        rest = {
            "certificate": "install the certificate there, then scan the code",
            "page": "it can sign in now",
            "signed in": "it is signed in",
        }
        return f"{who} reached this machine ({self.name}): {rest[self.stage]}."


class Arrivals:
    """The latest devices that reached this server, newest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrivals: LimitedDict[tuple[str, str], Arrival] = LimitedDict(_MOST)
        self._listeners: list[Callable[[Arrival], None]] = []

    def record(self, arrival: Arrival) -> None:
        """Keep an arrival; report a device the first time it reaches each stage."""
        key = (arrival.name, arrival.stage)
        with self._lock:
            new = self._arrivals.pop(key, None) is None
            self._arrivals[key] = arrival
        for listener in self._listeners if new else ():
            listener(arrival)

    def latest(self) -> Arrival | None:
        """Return the latest arrival, or None."""
        with self._lock:
            return [*self._arrivals.values()][-1] if self._arrivals else None

    def subscribe(self, listener: Callable[[Arrival], None]) -> None:
        """Call `listener` when a device comes for the first time."""
        self._listeners.append(listener)
