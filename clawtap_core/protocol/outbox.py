"""Messages for the server of a CLI, sent in order by a thread of their own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from concurrent.futures import Future

from clawtap_core.errors import Conflict, ErrorCode


class Outbox:
    """Data in the order in which it came, each with a future that is done once it was sent."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[tuple[bytes, Future[None]] | None] = queue.Queue()
        # After the None of `close` nothing is sent, so this item would wait forever.
        self._lock = threading.Lock()
        self._open = True

    @property
    def is_open(self) -> bool:
        """Say whether `close` was not called yet."""
        return self._open

    def put(self, data: bytes) -> Future[None]:
        """Queue data; the future fails with `Conflict` if it is not sent before `close`."""
        sent: Future[None] = Future()
        with self._lock:
            if self._open:
                self._waiting.put((data, sent))
                return sent
        sent.set_exception(server_gone())
        return sent

    def close(self) -> None:
        """End the iteration; what still waits fails."""
        with self._lock:
            self._open = False
            self._waiting.put(None)

    def __iter__(self) -> Iterator[tuple[bytes, Future[None]]]:
        while (item := self._waiting.get()) is not None:
            if self._open:
                yield item
            else:
                item[1].set_exception(server_gone())


def server_gone() -> Conflict:
    """Return the error for sending to a server that has ended."""
    return Conflict("the server of the CLI is gone", code=ErrorCode.SESSION_ENDED)
