"""What pages submitted, by the key of each: a form whose reply was lost is submitted again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from clawtap_core.limited_dict import LimitedDict

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
        self._attempts: LimitedDict[str, _Attempt] = LimitedDict(_MOST)

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
            return self._attempts.setdefault(key, _Attempt())
