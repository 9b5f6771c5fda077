"""Messages that a page sent, by the key of each: one whose reply was lost is sent again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

_MOST = 1000


@dataclass
class _Attempt:
    lock: Lock = field(default_factory=Lock)
    succeeded: bool = False


class SentMessages:
    """The keys of the latest messages."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._attempts: dict[str, _Attempt] = {}

    @contextmanager
    def once(self, key: str) -> Iterator[bool]:
        """Yield whether the message with this key is still to be sent; "" always is.

        A second attempt waits for the first, and is one of its own if that raised.
        """
        attempt = self._attempt(key)
        with attempt.lock:
            yield not attempt.succeeded
            attempt.succeeded = True

    def _attempt(self, key: str) -> _Attempt:
        if not key:
            return _Attempt()
        with self._lock:
            attempt = self._attempts.setdefault(key, _Attempt())
            if len(self._attempts) > _MOST:
                del self._attempts[next(iter(self._attempts))]
            return attempt
