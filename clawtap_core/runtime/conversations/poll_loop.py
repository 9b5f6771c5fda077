"""The thread that reads transcripts: soon after a change, and all of them at intervals."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable


class PollLoop:
    """Calls `poll` with each session that changed, and with all of them every `interval` seconds.

    `poll` returns after how many seconds it should be called again.
    """

    def __init__(
        self,
        poll: Callable[[str], float],
        sessions: Callable[[], Iterable[str]],
        interval: float,
    ) -> None:
        self._poll = poll
        self._sessions = sessions
        self._interval = interval
        self._wake = threading.Condition()
        self._changed: set[str] = set()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="clawtap-transcripts", daemon=True)
        self._thread.start()

    def wake(self, session_id: str) -> None:
        """Poll this session now."""
        with self._wake:
            self._changed.add(session_id)
            self._wake.notify_all()

    def close(self) -> None:
        """End the thread, once it has read what it reads now."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        self._thread.join(2)

    def _run(self) -> None:
        rests: dict[str, float] = {}
        all_due = time.monotonic()
        while not self._closed:
            with self._wake:
                if not self._changed:
                    rest = min((all_due - time.monotonic(), *rests.values()))
                    self._wake.wait(max(rest, 0.0))
                due, self._changed = self._changed | rests.keys(), set()
            # A session that is written all the time must not keep the others waiting.
            if time.monotonic() >= all_due:
                due, all_due = set(self._sessions()), time.monotonic() + self._interval
            polled = {name: self._poll(name) for name in due if not self._closed}
            rests = {name: rest for name, rest in polled.items() if rest < self._interval}
