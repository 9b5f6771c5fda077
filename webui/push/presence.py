"""Who looks at which session right now: nobody is told elsewhere of what is in sight."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LOOK = 45.0
EVERY = "*"


class Watching:
    """The last look of each page. A page that shows every session's prompts looks at `EVERY`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._looks: dict[str, tuple[str, float]] = {}

    def looked(self, page: str, session_id: str | None) -> None:
        """A page is looked at; None: it is out of sight."""
        with self._lock:
            self._looks = {name: look for name, look in self._looks.items() if self._fresh(look)}
            if session_id:
                self._looks[page] = (session_id, self._clock())
            else:
                self._looks.pop(page, None)

    def watched(self, session_id: str) -> bool:
        """Whether somebody looks at this session."""
        with self._lock:
            looks = list(self._looks.values())
        return any(self._fresh(one) and one[0] in (EVERY, session_id) for one in looks)

    def _fresh(self, look: tuple[str, float]) -> bool:
        return self._clock() - look[1] < LOOK
