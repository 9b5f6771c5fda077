"""Limit failed logins, per client and overall."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from clawtap_core.errors import ErrorCode, TooManyRequests


class FailureLimit:
    """Refuses attempts after too many failures within `seconds`."""

    def __init__(
        self,
        per_client: int = 10,
        in_all: int = 60,
        seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_client = per_client
        self._in_all = in_all
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: deque[tuple[float, str]] = deque()

    def check(self, client: str) -> None:
        """Raise TooManyRequests if this client, or all together, failed too often."""
        with self._lock:
            now = self._clock()
            while self._failures and self._failures[0][0] <= now - self._seconds:
                self._failures.popleft()
            mine = [at for at, who in self._failures if who == client]
            everyone = [at for at, _ in self._failures]
            for times, most in ((mine, self._per_client), (everyone, self._in_all)):
                if len(times) >= most:
                    seconds = int(times[-most] + self._seconds - now) + 1
                    raise TooManyRequests(
                        f"too many failed logins; try again in {seconds} s",
                        code=ErrorCode.TOO_MANY_LOGINS,
                        details={"retryAfter": seconds},
                    )

    def failed(self, client: str) -> None:
        """Count a failure."""
        with self._lock:
            self._failures.append((self._clock(), client))
