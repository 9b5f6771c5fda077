"""Learn at once that a process ended, where the system offers it (Linux: pidfd).

tmux does not report a program that ends while its pane stays. Elsewhere the end shows with the
pane's next output, or when something in tmux moves.
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable, Hashable

log = logging.getLogger(__name__)


class ExitWatch:
    """Call back once when a process ends; one thread, which sleeps until then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, tuple[int, Callable[[], None]]] = {}
        self._discarded: list[int] = []
        self._thread: threading.Thread | None = None
        self._wake = -1, -1
        self._closed = False

    def add(self, key: Hashable, pid: int, then: Callable[[], None]) -> None:
        """Call `then` in the thread of this watch when the process has ended."""
        try:
            descriptor: int = os.pidfd_open(pid)
        except (AttributeError, OSError):
            return
        with self._lock:
            if self._closed:
                os.close(descriptor)
                return
            self._waiting[key] = descriptor, then
            self._rouse()

    def remove(self, key: Hashable) -> None:
        """Cancel the call for this key."""
        with self._lock:
            if not self._closed and (entry := self._waiting.pop(key, None)):
                self._discarded.append(entry[0])
                self._rouse()

    def close(self) -> None:
        """Stop watching all processes."""
        with self._lock:
            if self._closed:
                return
            if thread := self._thread:
                self._rouse()
            self._closed = True
        if not thread:
            return
        thread.join()
        left = [descriptor for descriptor, _ in self._waiting.values()]
        for descriptor in (*left, *self._discarded, *self._wake):
            os.close(descriptor)

    def _rouse(self) -> None:
        if self._thread is None:
            self._wake = os.pipe()
            self._thread = threading.Thread(target=self._run, name="clawtap-exits", daemon=True)
            self._thread.start()
        else:
            os.write(self._wake[1], b"!")

    def _run(self) -> None:
        while not self._closed:
            for then in self._wait_for_ends():
                try:
                    then()
                except Exception:
                    log.exception("the end of a process could not be reported")

    def _wait_for_ends(self) -> list[Callable[[], None]]:
        """Return the calls of processes that have ended, or none if the watch has changed."""
        # Close descriptors only here, never while they are polled.
        with self._lock:
            for descriptor in self._discarded:
                os.close(descriptor)
            self._discarded.clear()
            waiting = {descriptor: key for key, (descriptor, _) in self._waiting.items()}
        poll = select.poll()
        for descriptor in (*waiting, self._wake[0]):
            poll.register(descriptor, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll()}
        if self._wake[0] in ready:
            os.read(self._wake[0], 512)
        with self._lock:
            keys = [waiting[descriptor] for descriptor in ready if descriptor in waiting]
            entries = [entry for key in keys if (entry := self._waiting.pop(key, None))]
            self._discarded.extend(descriptor for descriptor, _ in entries)
        return [then for _, then in entries]
