"""Rate-limit CLI hooks, and detect those that no longer wait."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_core.errors import ErrorCode, TooManyRequests
from clawtap_core.server.connections import SOCKET
from clawtap_core.transport import HookSink

# The maximum payload, which may contain a file that a tool is to write.
LIMIT = 8 * 1024 * 1024
# A CLI reports a few times for each tool call; only a runaway one reaches this.
OFTEN, SECONDS = 600, 10.0


class RateLimiter:
    """Allows `often` calls in `seconds`, so that one runaway CLI does not block others."""

    def __init__(
        self,
        often: int = OFTEN,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._times: deque[float] = deque(maxlen=often)

    def count(self) -> None:
        """Count a call; raise TooManyRequests if there are too many."""
        with self._lock:
            now, full = self._clock(), len(self._times) == self._times.maxlen
            if full and now - self._times[0] < self._seconds:
                raise TooManyRequests(
                    "too many hook reports; try again in a second",
                    code=ErrorCode.TOO_MANY_HOOKS,
                    details={"retryAfter": 1},
                )
            self._times.append(now)


@dataclass(frozen=True, slots=True)
class HookReceiver:
    """Where hooks report, and how often."""

    sink: HookSink
    pace: RateLimiter = field(default_factory=RateLimiter)


def client_disconnected(environ: Mapping[str, Any]) -> Callable[[], bool]:
    """Return a check whether the client of this request has disconnected."""
    connection: socket.socket | None = environ.get(SOCKET)

    def gone() -> bool:
        if connection is None:
            return False
        try:
            # The client sends nothing more, so anything readable is the end of the connection.
            readable, _, _ = select.select([connection.fileno()], [], [], 0)
        except (OSError, ValueError):
            return True
        return bool(readable)

    return gone
