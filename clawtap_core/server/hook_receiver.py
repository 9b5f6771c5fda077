"""Authorise and rate-limit CLI hooks, and detect those that no longer wait."""

from __future__ import annotations

import hmac
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_core.errors import ErrorCode, TooManyRequests, Unauthorized
from clawtap_core.server.connections import SOCKET
from clawtap_core.transport import HookSink

LIMIT = 8 * 1024 * 1024
"""The maximum payload, which may contain a file that a tool is to write."""
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
    """Where hooks report, and their secret."""

    sink: HookSink
    secret: str = field(repr=False)
    pace: RateLimiter = field(default_factory=RateLimiter)

    def check(self, header: str | None) -> None:
        """Raise Unauthorized unless the header holds the bridge's secret."""
        sent_secret = (header or "").removeprefix("Bearer ").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(sent_secret, self.secret.encode()):
            raise Unauthorized("only the bridge of `clawtap hooks` may report here")
        self.pace.count()


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
