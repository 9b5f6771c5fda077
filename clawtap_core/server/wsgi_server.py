"""gevent's WSGI server with limits on connections."""

from __future__ import annotations

import errno
import ipaddress
import json
import logging
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from email.message import Message
from http.client import HTTPException
from itertools import count
from ssl import SSLError
from typing import Any, BinaryIO

import gevent
from gevent import pywsgi
from gevent.ssl import SSLSocket

from clawtap_core.errors import ErrorCode
from clawtap_core.server import connections as limits
from clawtap_core.server.connections import (
    PLAIN,
    SOCKET,
    STREAMED,
    Address,
    Connections,
    not_arrived,
)
from clawtap_core.system.network import is_private

log = logging.getLogger(__name__)
# The first byte of a TLS connection; no HTTP request begins with it.
_HANDSHAKE = b"\x16"
# The target of a request to a proxy, which a server has to understand, too (RFC 9112, 3.2.2).
_ABSOLUTE = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)
_HEADER_LINE = re.compile(rb"(?:[!#$%&'*+.^_`|~\w-]+:[^\0\r\n]*)?\r?\n", re.ASCII)
# What the app never sees, as the app would refuse it: status line, code, sentence.
_REFUSALS = {
    "400": (
        "400 Bad Request",
        ErrorCode.BAD_REQUEST,
        "this is no valid HTTP request, or its headers are too long or too many",
    ),
    "414": (
        "414 URI Too Long",
        ErrorCode.TOO_LARGE,
        f"the address is longer than {pywsgi.MAX_REQUEST_LINE // 1024} KB",
    ),
}


class Handler(pywsgi.WSGIHandler):  # type: ignore[misc]
    """pywsgi's handler, with deadlines and an access log without private query strings."""

    path: str
    _authority: Mapping[str, str]

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

    def read_request(self, raw_requestline: str) -> bool:
        """Parse a request line and the headers; raise ValueError if they are not valid."""
        try:
            complete = bool(super().read_request(raw_requestline))
        except (HTTPException, IndexError) as error:
            # pywsgi would print a traceback, though it is the client's fault.
            raise ValueError(str(error)) from error
        self._authority = {}
        # The host in the target counts, not the one in the Host header.
        if match := _ABSOLUTE.match(self.path):
            self._authority, rest = {"HTTP_HOST": match[1]}, self.path[match.end() :]
            self.path = rest if rest.startswith("/") else f"/{rest}"
        return complete

    def MessageClass(self, stream: BinaryIO, *rest: Any) -> Message:  # noqa: N802 - pywsgi's name
        """Return the headers, as pywsgi calls for them; ValueError if they are ambiguous."""
        headers: Message = super().MessageClass(_HeaderLines(stream), *rest)
        if _is_ambiguous(headers):
            raise ValueError("its length can be read in two ways")
        return headers

    def handle_one_request(self) -> Any:
        """Serve one request; pywsgi's own refusals get the API's form."""
        result = super().handle_one_request()
        return (result[0], _refusal(result[0])) if isinstance(result, tuple) else result

    def get_environ(self) -> dict[str, Any]:
        """Return a request's environment, with its connection."""
        environ = {**super().get_environ(), SOCKET: self.socket, **self._authority}
        if not isinstance(self.socket, SSLSocket):  # TLS cannot send a piece in part
            environ[STREAMED] = self
        if isinstance(self.server, LanServer):
            secure = isinstance(self.socket, SSLSocket)
            environ["wsgi.url_scheme"] = "https" if secure else "http"
            peer = ipaddress.ip_address(self.client_address[0])
            environ[PLAIN] = not (secure or peer.is_loopback)
        seconds = limits.REQUEST_SECONDS + (self.content_length or 0) / limits.BYTES_PER_SECOND
        self.server.connections.expect(self.client_address, seconds, self._body_arrived)
        return environ

    def handle_one_response(self) -> None:
        """Serve one request, then wait for the next."""
        super().handle_one_response()
        self.server.connections.expect(self.client_address, limits.IDLE_SECONDS, not_arrived)

    def finalize_headers(self) -> None:
        """Complete the headers of a response."""
        super().finalize_headers()
        if self.command == "HEAD":
            # pywsgi would send the end of a body in chunks, which a proxy takes for the next reply.
            self.response_use_chunked = False

    def send_now(self, piece: bytes) -> bytes:
        """Send a piece of a streamed response without waiting; return what was not taken."""
        if self.response_use_chunked:
            piece = b"%x\r\n%b\r\n" % (len(piece), piece)
        try:
            sent = self.socket.send(piece, 0, 0.0)
        except BlockingIOError:
            return piece
        self.response_length += sent
        return piece[sent:]

    def send_rest(self, rest: bytes) -> None:
        """Send the rest of a piece."""
        self._sendall(rest)

    def _body_arrived(self) -> bool:
        body = self.wsgi_input
        if body.chunked_input:
            return bool(body.chunk_length == 0)
        return bool(body.position >= (self.content_length or 0))

    def _sendall(self, data: bytes) -> None:
        try:
            # A buffer mostly takes an event at once, without the timer that `sendall` needs.
            sent = self.socket.send(data)
            self.response_length += sent
            if sent < len(data):
                super()._sendall(data[sent:])
        except (TimeoutError, SSLError) as error:
            # pywsgi treats a broken pipe as a client that left and logs no traceback. With TLS, a
            # browser that hangs up is an error of its own.
            raise BrokenPipeError(errno.EPIPE, "the client does not read") from error

    def log_error(self, msg: str, *args: object) -> None:
        """Log that a request is no valid HTTP; its line, which pywsgi logs, may hold a token."""
        log.debug("no valid HTTP from %s", self.client_address)

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

    def wrap_socket_and_handle(self, client_socket: socket.socket, address: Address) -> None:
        """Serve a connection with TLS."""
        try:
            secure = self.wrap_socket(client_socket, **self.ssl_args)
        except OSError as error:
            # A device that does not trust the certificate hangs up: no news for the terminal.
            log.debug("no TLS with %s: %s", address[0], error)
            return
        with closing(secure):
            self.handle(secure, address)


class LanServer(Server):
    """A server for the local network, which speaks TLS and plain HTTP on one port.

    Plain requests from other machines are marked, so that they get nothing but the certificate.
    """

    def wrap_socket_and_handle(self, client_socket: socket.socket, address: Address) -> None:
        """Serve a connection of this machine or of a private network."""
        ours = client_socket.getsockname()[0]
        peer = ipaddress.ip_address(address[0])
        if not (peer.is_loopback or (is_private(peer) and is_private(ipaddress.ip_address(ours)))):
            return
        if client_socket.recv(1, socket.MSG_PEEK) == _HANDSHAKE:
            super().wrap_socket_and_handle(client_socket, address)
        else:
            self.handle(client_socket, address)


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


class _HeaderLines:
    """The lines of headers; ValueError for one in which a proxy may see another header.

    Python's reader also ends a line at a bare CR, and the headers at a line that is no header.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self, limit: int) -> bytes:
        """Return the next line."""
        line = self._stream.readline(limit)
        if line and not _HEADER_LINE.fullmatch(line):
            raise ValueError("one of its headers is not valid")
        return line


def _is_ambiguous(headers: Message) -> bool:
    """Return whether a proxy may see another end of the body, and so another next request."""
    codings = headers.get_all("transfer-encoding", [])
    lengths = {*headers.get_all("content-length", [])}
    if codings:
        return bool(lengths) or [coding.lower() for coding in codings] != ["chunked"]
    return len(lengths) > 1 or not all(re.fullmatch("[0-9]+", length) for length in lengths)


def _refusal(status: str) -> bytes:
    """Return the whole response to a request that is refused before the app sees it."""
    line, code, sentence = _REFUSALS[status]
    body = json.dumps({"error": sentence, "code": code}).encode() + b"\n"
    head = (
        f"HTTP/1.1 {line}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def _without_query(requestline: str) -> str:
    method, _, rest = requestline.partition(" ")
    target, _, version = rest.rpartition(" ")
    return f"{method} {target.partition('?')[0]} {version}"
