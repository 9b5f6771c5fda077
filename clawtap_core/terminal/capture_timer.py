"""Capture a pane at once, then not too often."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable

from clawtap_core.terminal.capture_rate import FAST

log = logging.getLogger(__name__)


class CaptureTimer:
    """Call `take(key)` at once for a marked key, then at most once per interval (seconds).

    The last mark is never lost. A thread waits for what is due later, without a timer while
    nothing is.
    """

    def __init__(self, take: Callable[[Hashable], None], interval: float = FAST) -> None:
        self._take, self._interval = take, interval
        self._wake = threading.Condition()
        self._due: dict[Hashable, float] = {}
        self._taken: dict[Hashable, float] = {}
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="clawtap-pacer", daemon=True)
        self._thread.start()

    def mark(self, key: Hashable, interval: float | None = None, *, delay: float = 0.0) -> None:
        """Schedule this key, after `delay`; another interval applies to this mark alone."""
        now = time.monotonic()
        with self._wake:
            earliest = now + delay if delay > 0 else float("-inf")
            interval = interval or self._interval
            due = max(self._taken.get(key, float("-inf")) + interval, earliest)
            if self._closed or self._due.get(key, float("inf")) <= due:
                return
            if due > now:
                self._due[key] = due
                self._wake.notify()
                return
            self._due.pop(key, None)
            self._taken[key] = now
        self._take(key)

    def forget(self, key: Hashable) -> None:
        """Cancel this key."""
        with self._wake:
            self._due.pop(key, None)
            self._taken.pop(key, None)

    def close(self) -> None:
        """Stop; nothing is taken afterwards."""
        with self._wake:
            self._closed = True
            self._due.clear()
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        while (ready := self._next()) is not None:
            for key in ready:
                try:
                    self._take(key)
                except Exception:
                    log.exception("a pane could not be captured")

    def _next(self) -> list[Hashable] | None:
        with self._wake:
            while not self._closed:
                now = time.monotonic()
                if ready := [key for key, due in self._due.items() if due <= now]:
                    for key in ready:
                        del self._due[key]
                        self._taken[key] = now
                    return ready
                self._wake.wait(min(self._due.values()) - now if self._due else None)
            return None
