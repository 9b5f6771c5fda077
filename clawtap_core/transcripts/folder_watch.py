"""Watching folders for files that change."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from watchdog.events import (
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

log = logging.getLogger(__name__)
_ENDING = 5.0
# Reading a file is an event too; only writes matter.
_KINDS: list[type[FileSystemEvent]] = [FileCreatedEvent, FileModifiedEvent, FileMovedEvent]


class Watcher(FileSystemEventHandler):
    """A watcher that calls `changed` with each written path, in a thread of its own.

    A folder that cannot be watched is ignored; regular polls still find its changes.
    """

    def __init__(self, changed: Callable[[str], None]) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self._observer: Any = None
        self._closed = False
        self._folders: Counter[str] = Counter()
        self._watches: dict[str, Any] = {}

    def add(self, folder: Path) -> None:
        """Watch a folder."""
        name = str(folder)
        with self._lock:
            self._folders[name] += 1
            if name not in self._watches:
                self._watch(name)

    def remove(self, folder: Path) -> None:
        """Stop watching a folder, once nobody else watches it."""
        name = str(folder)
        with self._lock:
            self._folders[name] -= 1
            if self._folders[name] <= 0:
                del self._folders[name]
                watch = self._watches.pop(name, None)
                if watch and self._observer:
                    self._observer.unschedule(watch)

    def close(self) -> None:
        """Stop watching."""
        with self._lock:
            observer, self._observer = self._observer, None
            self._closed = True
            self._watches.clear()
        if observer:
            observer.stop()
            observer.join(_ENDING)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Report a file that was written, or moved into place."""
        for path in (event.src_path, event.dest_path):
            if path:
                self._changed(
                    path if isinstance(path, str) else bytes(path).decode(errors="replace")
                )

    def _watch(self, name: str) -> None:
        if self._closed:
            return  # a search that was under way when this was closed
        try:
            if self._observer is None:
                observer = Observer()
                observer.daemon = True
                observer.start()
                self._observer = observer
            self._watches[name] = self._observer.schedule(self, name, event_filter=_KINDS)
        except OSError as error:
            log.warning("folder %r cannot be watched: %s", name, error.strerror or error)
