"""Open connections: how many, how long a request may take to arrive, and who holds them."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

REQUEST_SECONDS = 10.0
"""How long the line and headers of a first request may take, with the handshake of TLS."""
IDLE_SECONDS = 75.0
"""How long a connection may wait for its next request."""
BYTES_PER_SECOND = 16 * 1024
"""How slowly a body may arrive."""
SEND_SECONDS = 60.0
"""How long a client may leave what is sent to it unread."""
MOST = 1000
SOCKET = "clawtap.socket"
Address = tuple[Any, ...]


@dataclass
class _Connection:
    """One connection: its descriptor, and until when its request must have arrived."""

    descriptor: int
    deadline: float
    arrived: Callable[[], bool]


class Connections:
    """Close connections whose request does not arrive, and one of them when there are too many.

    `most`: how many there may be; by default half of the descriptors of this process.
    """

    def __init__(
        self, most: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most or min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
        self._clock = clock
        self._open: dict[Address, _Connection] = {}

    def admit(self, sock: socket.socket, address: Address) -> bool:
        """Register a new connection; return False when every other one is being served."""
        if len(self._open) >= self.most and not self._close_most_overdue():
            return False
        self._open[address] = _Connection(
            sock.fileno(), self._clock() + REQUEST_SECONDS, not_arrived
        )
        return True

    def expect(self, address: Address, seconds: float, arrived: Callable[[], bool]) -> None:
        """Give a connection so many seconds until `arrived` is true."""
        if connection := self._open.get(address):
            connection.deadline = self._clock() + seconds
            connection.arrived = arrived

    def forget(self, address: Address) -> None:
        """Remove a closed connection."""
        self._open.pop(address, None)

    def close_overdue(self) -> None:
        """Close every connection whose request did not arrive in time."""
        now = self._clock()
        for connection in list(self._open.values()):
            if connection.deadline <= now and not connection.arrived():
                shut_down(connection.descriptor)

    def _close_most_overdue(self) -> bool:
        waiting = [each for each in self._open.items() if not each[1].arrived()]
        if not waiting:
            return False
        address, connection = min(waiting, key=lambda each: each[1].deadline)
        shut_down(connection.descriptor)
        # Its greenlet closes it when it runs next; until then it must not be chosen again.
        self.forget(address)
        return True


class DeviceConnections:
    """The connections on which each device is being served, to end them when it is revoked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: defaultdict[str, list[socket.socket]] = defaultdict(list)

    def add(self, device_id: str, connection: socket.socket) -> Callable[[], None]:
        """Register a connection; return what removes it."""
        with self._lock:
            self._open[device_id].append(connection)

        def remove() -> None:
            with self._lock, suppress(ValueError):
                self._open[device_id].remove(connection)

        return remove

    def close(self, device_id: str, *, but: socket.socket | None) -> None:
        """Close the connections of a device, but for the one that asked for it."""
        with self._lock:
            connections = self._open.pop(device_id, [])
        for connection in connections:
            if connection is not but:
                shut_down(connection.fileno())


def shut_down(descriptor: int) -> None:
    """Close a connection under whoever reads or writes it, which then sees its end."""
    try:
        # A second object for the descriptor, since TLS has taken the first one apart.
        connection = socket.socket(fileno=descriptor)
    except OSError:
        return
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.detach()


def not_arrived() -> bool:
    """Return False: nothing of the next request is here."""
    return False
