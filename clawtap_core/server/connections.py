"""Limit connections in number and time, and end those of revoked devices."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

# The time limit for the headers of a first request, including the TLS handshake.
REQUEST_SECONDS = 10.0
# The time limit between two requests.
IDLE_SECONDS = 75.0
# The minimum speed of a body.
BYTES_PER_SECOND = 16 * 1024
# How long a client may stop reading.
SEND_SECONDS = 60.0
MOST = 1200
# In the environment of a request: its connection, whether that is on the private socket, whether
# it came over the network without TLS, and the streamed response, where it can be sent pieces.
SOCKET, PRIVATE, PLAIN = "clawtap.socket", "clawtap.private", "clawtap.plain"
STREAMED = "clawtap.streamed"
Address = tuple[Any, ...]


@dataclass
class _Connection:
    """A connection and the deadline for its request to arrive."""

    descriptor: int
    deadline: float
    arrived: Callable[[], bool]


class Connections:
    """Closes connections whose request is late, and the latest when there are too many."""

    def __init__(
        self, most: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        # The other half of the descriptors is for files, tmux and CLIs.
        self.most = most or min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
        self._clock = clock
        self._open: dict[Address, _Connection] = {}

    def admit(self, sock: socket.socket, address: Address) -> bool:
        """Register a new connection; return False if there are too many and all are in use."""
        if len(self._open) >= self.most and not self._close_most_overdue():
            return False
        self._open[address] = _Connection(
            sock.fileno(), self._clock() + REQUEST_SECONDS, not_arrived
        )
        return True

    def expect(self, address: Address, seconds: float, arrived: Callable[[], bool]) -> None:
        """Allow a connection `seconds` until `arrived` must be true."""
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
        waiting = [item for item in self._open.items() if not item[1].arrived()]
        if not waiting:
            return False
        waiting.sort(key=lambda item: item[1].deadline)
        # A request that has come may not have been read yet, when many connect at once.
        silent = (item for item in waiting if not has_unread(item[1].descriptor))
        address, connection = next(silent, waiting[0])
        shut_down(connection.descriptor)
        # Its greenlet closes it later; until then it must not be chosen again.
        self.forget(address)
        return True


class DeviceConnections:
    """The connections of each device, which end when it is revoked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: defaultdict[str, list[socket.socket]] = defaultdict(list)

    def add(self, device_id: str, connection: socket.socket) -> Callable[[], None]:
        """Register a connection and return a function that removes it."""
        with self._lock:
            self._open[device_id].append(connection)

        def remove() -> None:
            with self._lock, suppress(ValueError):
                self._open[device_id].remove(connection)

        return remove

    def close(self, device_id: str, *, but: socket.socket | None) -> None:
        """Close the connections of a device except `but`."""
        with self._lock:
            connections = self._open.pop(device_id, [])
        for connection in connections:
            if connection is not but:
                shut_down(connection.fileno())


def shut_down(descriptor: int) -> None:
    """Close a connection, so that its readers and writers see its end."""
    with suppress(OSError), _socket_of(descriptor) as connection:
        connection.shutdown(socket.SHUT_RDWR)


def has_unread(descriptor: int) -> bool:
    """Return whether a client sent something that was not read yet."""
    with suppress(OSError), _socket_of(descriptor) as connection:
        connection.setblocking(False)
        return bool(connection.recv(1, socket.MSG_PEEK))
    return False


@contextmanager
def _socket_of(descriptor: int) -> Iterator[socket.socket]:
    """Open a second object for a descriptor: TLS has taken the first one apart."""
    connection = socket.socket(fileno=descriptor)
    try:
        yield connection
    finally:
        connection.detach()


def not_arrived() -> bool:
    """Return False."""
    return False
