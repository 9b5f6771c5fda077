"""What pages submitted, by the key of each: a form whose reply was lost is submitted again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

_MOST = 1000
T = TypeVar("T")


@dataclass
class _Attempt:
    lock: Lock = field(default_factory=Lock)
    outcomes: list[Any] = field(default_factory=list)


class Submissions:
    """The outcomes of the latest submissions."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._attempts: dict[str, _Attempt] = {}

    def once(self, key: str, act: Callable[[], T]) -> T:
        """Act, and return the outcome; for a key that has one, return that; "" always acts.

        A second attempt waits for the first, and acts if that raised.
        """
        attempt = self._attempt(key)
        with attempt.lock:
            if not attempt.outcomes:
                attempt.outcomes.append(act())
            outcome: T = attempt.outcomes[0]
            return outcome

    def _attempt(self, key: str) -> _Attempt:
        if not key:
            return _Attempt()
        with self._lock:
            attempt = self._attempts.setdefault(key, _Attempt())
            if len(self._attempts) > _MOST:
                del self._attempts[next(iter(self._attempts))]
            return attempt
