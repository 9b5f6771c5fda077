"""The thread that reads transcripts: soon after a change, and at intervals."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class PollLoop:
    """Calls `poll` with each session that changed, and again when it says.

    `poll` returns after how many seconds it should be called again at the latest, or None for a
    session that is no longer followed.
    """

    def __init__(self, poll: Callable[[str], float | None]) -> None:
        self._poll = poll
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
        due: dict[str, float] = {}
        while not self._closed:
            with self._wake:
                if not (self._changed or self._closed):
                    rest = min(due.values()) - time.monotonic() if due else None
                    self._wake.wait(rest)
                changed, self._changed = self._changed, set()
            now = time.monotonic()
            for name in changed | {name for name, at in due.items() if at <= now}:
                if self._closed:
                    return
                if (rest := self._poll(name)) is None:
                    due.pop(name, None)
                else:
                    due[name] = next_time(time.monotonic(), rest)


def next_time(now: float, rest: float) -> float:
    """Return a time after at most `rest` seconds, the same for all who rest so long."""
    return (now // rest + 1) * rest
