"""The user's presence: which pages are in use, and which sessions they show."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

LOOK_SECONDS = 45.0
DESK_SECONDS = 60.0
ALL_SESSIONS = "*"


@dataclass(frozen=True, slots=True)
class _Look:
    shows: str | None
    at: float
    number: int


class Presence:
    """The pages in use, by what each shows, and the desk.

    `desk_typed_at` returns when somebody last typed in a pane, in seconds since 1970.
    """

    def __init__(
        self,
        desk_typed_at: Callable[[], float] = lambda: 0.0,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._desk_typed_at = desk_typed_at
        self._clock, self._wall_clock = clock, wall_clock
        self._lock = threading.Lock()
        self._looks: dict[str, _Look] = {}

    def report(self, page: str, shows: str | None, number: int = 0) -> None:
        """Record a page in use: the session it shows, `ALL_SESSIONS`, or "" for none.

        None: the page is out of sight, or nobody uses it. Requests overtake each other: what a
        page reported with a lower `number` than its last is ignored.
        """
        with self._lock:
            self._looks = {name: look for name, look in self._looks.items() if self._fresh(look)}
            before = self._looks.get(page)
            if before is None or number >= before.number:
                self._looks[page] = _Look(shows, self._clock(), number)

    def on_screen(self, session_id: str) -> bool:
        """Return True if a page in use shows this session."""
        return any(look.shows in (ALL_SESSIONS, session_id) for look in self._current())

    def nearby(self) -> bool:
        """Return True if a page is in use, or somebody typed at the desk a moment ago."""
        return bool(self._current()) or (
            0 <= self._wall_clock() - self._desk_typed_at() < DESK_SECONDS
        )

    def _current(self) -> list[_Look]:
        with self._lock:
            looks = self._looks.values()
            return [look for look in looks if look.shows is not None and self._fresh(look)]

    def _fresh(self, look: _Look) -> bool:
        return self._clock() - look.at < LOOK_SECONDS
