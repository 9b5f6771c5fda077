"""The UNIX socket of a CLI's shared server: each line is a WebSocket text frame."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Message,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import ProtocolError

from clawtap_core.errors import Unavailable
from clawtap_core.protocol.outbox import Outbox, server_gone

log = logging.getLogger(__name__)
CONNECT = 3.0
_CHUNK = 65536
_HOST = "localhost"


class SocketWire:
    """An accepted connection; `received` gets b"" at the end."""

    def __init__(self, path: str) -> None:
        self._ws = WSConnection(ConnectionType.CLIENT)
        self._socket = socket.socket(socket.AF_UNIX)
        self._lock = threading.Lock()
        self._outbox = Outbox()
        self._early: list[bytes] = []
        try:
            self._connect(path)
        except (OSError, ProtocolError) as error:
            self._socket.close()
            raise Unavailable(f"the CLI's server was not found at {path}: {error}") from error

    def start(self, received: Callable[[bytes], None]) -> None:
        """Start reading, and writing what is queued."""
        for name, run in (("read", lambda: self._read(received)), ("write", self._write)):
            threading.Thread(target=run, name=f"clawtap-socket-{name}", daemon=True).start()

    def write(self, data: bytes) -> Future[None]:
        """Queue lines, each as a frame."""
        return self._outbox.put(data)

    def close(self) -> None:
        """Close the connection; the server stays."""
        self._outbox.close()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _connect(self, path: str) -> None:
        self._socket.settimeout(CONNECT)
        self._socket.connect(path)
        self._socket.sendall(self._ws.send(Request(host=_HOST, target="/")))
        while True:
            data = self._socket.recv(_CHUNK)
            if not data:
                raise OSError("it closed the connection")
            self._ws.receive_data(data)
            for event in self._ws.events():
                if isinstance(event, RejectConnection):
                    raise OSError(f"it refused, with status {event.status_code}")
                if isinstance(event, AcceptConnection):
                    self._socket.settimeout(None)
                    return

    def _read(self, received: Callable[[bytes], None]) -> None:
        parts: list[str] = []
        try:
            while self._outbox.is_open:
                for event in self._ws.events():
                    self._take(event, parts, received)
                data = self._socket.recv(_CHUNK)
                if not data:
                    break
                with self._lock:
                    self._ws.receive_data(data)
        except (OSError, ProtocolError) as error:
            log.debug("the connection ended: %s", error)
        self.close()
        received(b"")

    def _take(self, event: object, parts: list[str], received: Callable[[bytes], None]) -> None:
        if isinstance(event, TextMessage):
            parts.append(event.data)
            if event.message_finished:
                line = "".join(parts).replace("\n", " ")
                parts.clear()
                received(line.encode() + b"\n")
        elif isinstance(event, Message):
            parts.clear()
        elif isinstance(event, Ping):
            self._send(event.response())
        elif isinstance(event, CloseConnection):
            self._outbox.close()

    def _write(self) -> None:
        for data, written in self._outbox:
            try:
                for line in data.splitlines():
                    self._send(TextMessage(data=line.decode()))
            except (OSError, ProtocolError):
                written.set_exception(server_gone())
            else:
                written.set_result(None)

    def _send(self, event: object) -> None:
        with self._lock:
            self._socket.sendall(self._ws.send(event))  # type: ignore[arg-type]
