"""The line of one machine to its Redis, which can be cut, hang, and say something else."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


class RedisLink:
    """A UNIX socket that stands for that of a Redis; `reply` may change what Redis says."""

    def __init__(
        self, path: Path, target: Path, reply: Callable[[bytes], bytes] = lambda data: data
    ) -> None:
        self.url = f"unix://{path}"
        self._target, self._reply = target, reply
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        self._selector = selectors.DefaultSelector()
        self._bell, self._button = socket.socketpair()
        for one in (self._listener, self._bell):
            self._selector.register(one, selectors.EVENT_READ)
        self._peers: dict[socket.socket, socket.socket] = {}
        self._clients: set[socket.socket] = set()
        self._broken = self._hangs = self._closed = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Break all connections, and make none from now on."""
        self._broken = True
        self._button.send(b"!")

    def hang(self) -> None:
        """Carry nothing from now on, and say so to nobody, as a cable does that was pulled."""
        self._hangs = True
        self._button.send(b"!")

    def restore(self) -> None:
        """Carry everything again, also what was said meanwhile."""
        self._broken = self._hangs = False
        self._button.send(b"!")

    def close(self) -> None:
        """End it."""
        self._closed = True
        # The thread may notice by itself, while it serves what was said before.
        with suppress(OSError):
            self._button.send(b"!")
        self._thread.join(60)

    def _run(self) -> None:
        while not self._closed:
            for key, _ in self._selector.select():
                self._serve(key.fileobj)  # type: ignore[arg-type]
        self._drop_all()
        for one in (self._listener, self._bell, self._button):
            one.close()
        self._selector.close()

    def _serve(self, ready: socket.socket) -> None:
        if ready is self._bell:
            self._bell.recv(100)
            if self._broken:
                self._drop_all()
            for one in self._peers:
                self._listen_to(one)
        elif ready is self._listener:
            self._accept()
        elif ready in self._peers and not self._hangs:
            self._carry(ready)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        server = socket.socket(socket.AF_UNIX)
        try:
            if self._broken:
                raise ConnectionRefusedError
            server.connect(str(self._target))
        except OSError:
            client.close()
            server.close()
            return
        self._peers[client], self._peers[server] = server, client
        self._clients.add(client)
        for one in (client, server):
            self._listen_to(one)

    def _listen_to(self, one: socket.socket) -> None:
        listens = one in self._selector.get_map()
        if listens and self._hangs:
            self._selector.unregister(one)
        elif not listens and not self._hangs:
            self._selector.register(one, selectors.EVENT_READ)

    def _carry(self, source: socket.socket) -> None:
        try:
            data = source.recv(1 << 16)
            if data and source not in self._clients:
                data = self._reply(data)
            if data:
                self._peers[source].sendall(data)
        except OSError:
            data = b""
        if not data:
            self._drop(source)

    def _drop_all(self) -> None:
        while self._peers:
            self._drop(next(iter(self._peers)))

    def _drop(self, one: socket.socket) -> None:
        for end in (one, self._peers.pop(one)):
            self._peers.pop(end, None)
            self._clients.discard(end)
            if end in self._selector.get_map():
                self._selector.unregister(end)
            end.close()
