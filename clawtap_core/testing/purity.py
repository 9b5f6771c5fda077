"""Detect impure hooks, which open files, sockets or processes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_IMPURE = (
    "open",
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.listdir",
    "os.scandir",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.kill",
)
_watchers: dict[int, list[str]] = {}
_installed: list[bool] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    seen = _watchers.get(threading.get_ident())
    if seen is not None and event.startswith(_IMPURE):
        seen.append(f"{event} {arguments[:1]}")


@contextmanager
def effects() -> Iterator[list[str]]:
    """Yield the effects of this thread in the block, from Python's audit events."""
    # An audit hook cannot be removed, so one serves all watchers.
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_audit)
    seen = _watchers[threading.get_ident()] = []
    try:
        yield seen
    finally:
        del _watchers[threading.get_ident()]
