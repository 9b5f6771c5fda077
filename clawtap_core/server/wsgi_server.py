"""gevent's WSGI server with limits on connections."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import gevent
from gevent import pywsgi

from clawtap_core.server import connections as limits
from clawtap_core.server.connections import SOCKET, Address, Connections, not_arrived


class Handler(pywsgi.WSGIHandler):  # type: ignore[misc]
    """pywsgi's handler, with deadlines and an access log without private query strings."""

    def handle(self) -> None:
        """Serve the requests of one connection."""
        self.socket.settimeout(limits.SEND_SECONDS)
        super().handle()

    def read_requestline(self) -> str:
        """Return the request line."""
        try:
            return str(super().read_requestline())
        except TimeoutError:
            # Idle connections are closed by their deadline; this limit is for sending.
            return ""

    def get_environ(self) -> dict[str, Any]:
        """Return a request's environment, with its connection."""
        environ = {**super().get_environ(), SOCKET: self.socket}
        seconds = limits.REQUEST_SECONDS + (self.content_length or 0) / limits.BYTES_PER_SECOND
        self.server.connections.expect(self.client_address, seconds, self._body_arrived)
        return environ

    def handle_one_response(self) -> None:
        """Serve one request, then wait for the next."""
        super().handle_one_response()
        self.server.connections.expect(self.client_address, limits.IDLE_SECONDS, not_arrived)

    def _body_arrived(self) -> bool:
        body = self.wsgi_input
        if body.chunked_input:
            return bool(body.chunk_length == 0)
        return bool(body.position >= (self.content_length or 0))

    def _sendall(self, data: bytes) -> None:
        try:
            super()._sendall(data)
        except TimeoutError as error:
            # pywsgi treats a broken pipe as a client that left and logs no traceback.
            raise BrokenPipeError(errno.EPIPE, "the client does not read") from error

    def format_request(self) -> str:
        """Return one line of the access log."""
        line: str = super().format_request()
        request: str = self.requestline or ""
        return line.replace(request, _without_query(request)) if request else line


class Server(pywsgi.WSGIServer):  # type: ignore[misc]
    """pywsgi's server, with limits on its connections."""

    max_accept = 8

    def __init__(self, *args: Any, connections: Connections, **options: Any) -> None:
        super().__init__(*args, handler_class=Handler, **options)
        self.connections = connections
        self._numbers = count()

    def update_environ(self) -> None:
        """Fill in the environment of every request."""
        # pywsgi would look up a name of our address, and start only when DNS has answered.
        self.environ.setdefault("SERVER_NAME", "localhost")
        super().update_environ()

    def do_handle(self, sock: socket.socket, address: Address) -> None:
        """Serve a new connection, unless there are too many."""
        # Clients of a UNIX socket have no address; a connection needs one of its own.
        address = address or ("", next(self._numbers))
        if self.connections.admit(sock, address):
            super().do_handle(sock, address)
        else:
            sock.close()

    def do_close(self, sock: socket.socket, address: Address) -> None:
        """Close a connection that was served."""
        self.connections.forget(address)
        super().do_close(sock, address)


@contextmanager
def closing_overdue(connections: Connections) -> Iterator[None]:
    """Close overdue connections while the server runs."""

    def run() -> None:
        while True:
            gevent.sleep(min(1.0, limits.REQUEST_SECONDS / 4))
            connections.close_overdue()

    reaper = gevent.spawn(run)
    try:
        yield
    finally:
        reaper.kill()


def _without_query(requestline: str) -> str:
    method, _, rest = requestline.partition(" ")
    target, _, version = rest.rpartition(" ")
    return f"{method} {target.partition('?')[0]} {version}"
