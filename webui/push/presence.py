"""Which sessions are on a screen right now: other devices get no notices of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LOOK_SECONDS = 45.0
ALL_SESSIONS = "*"


class Presence:
    """The session that each open page shows; the inbox shows `ALL_SESSIONS`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._looks: dict[str, tuple[str, float]] = {}

    def report(self, page: str, session_id: str | None) -> None:
        """Record what a page shows; None when it went out of sight."""
        with self._lock:
            self._looks = {name: look for name, look in self._looks.items() if self._fresh(look)}
            if session_id:
                self._looks[page] = (session_id, self._clock())
            else:
                self._looks.pop(page, None)

    def on_screen(self, session_id: str) -> bool:
        """Return whether a page shows this session."""
        with self._lock:
            looks = list(self._looks.values())
        return any(self._fresh(look) and look[0] in (ALL_SESSIONS, session_id) for look in looks)

    def _fresh(self, look: tuple[str, float]) -> bool:
        return self._clock() - look[1] < LOOK_SECONDS
