"""A dictionary that keeps its newest entries only, for what is remembered of the latest things."""

from __future__ import annotations

from collections import UserDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LimitedDict(UserDict[K, V]):
    """A dictionary of at most `most` entries: one more drops the oldest.

    A new value for a key that is there does not make it newer.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        while len(self) > self._most:
            del self[next(iter(self))]
