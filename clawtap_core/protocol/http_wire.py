"""The HTTP server of a CLI on 127.0.0.1: its requests, replies and events as lines of JSON-RPC.

The method of a request is `GET /path` or `POST /path`, and its params are the body. The result of
a reply has the `body`; any status but 2xx is an error. An event is a notification by its name.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, TypeVar

from clawtap_core.errors import ClawTapError, Conflict, NotConfirmed, Unavailable
from clawtap_core.model import HttpServer
from clawtap_core.protocol.outbox import Outbox, server_gone
from clawtap_core.protocol_io.json_lines import json_line

log = logging.getLogger(__name__)
SECONDS = 20.0  # for a request with its whole reply: a CLI may be busy
LARGEST = 8 * 2**20  # bytes of a reply, or of an event
_LOOPBACK = "127.0.0.1"
_REQUEST = re.compile(r"(GET|POST) (/[!-~]*)")
_FAILURES = (OSError, HTTPException, ValueError)
T = TypeVar("T")


class HttpWire:
    """An open event stream, and requests one after another; `received` gets b"" at the end.

    Redirects are not followed, and no proxy is used.
    """

    def __init__(self, server: HttpServer) -> None:
        self._port = server.port
        self._headers = {"Accept": "application/json, text/event-stream", **_login(server)}
        self._outbox = Outbox()
        self._receiving = threading.Lock()
        self._sockets: set[socket.socket] = set()
        try:
            connection = self._connect()
            sock = connection.sock
            self._stream = self._exchange(connection, "GET", server.events, None, _stream)
            sock.settimeout(None)
        except _FAILURES as error:
            self.close()
            raise Unavailable(
                f"the CLI's server has no events at port {server.port}: {error}"
            ) from error

    def start(self, received: Callable[[bytes], None]) -> None:
        """Start reading events, and sending what is queued."""

        def receive(data: bytes) -> None:
            # Replies and events come from two threads.
            with self._receiving:
                received(data)

        for name, run in (("read", self._read), ("write", self._write)):
            threading.Thread(
                target=run, args=(receive,), name=f"clawtap-http-{name}", daemon=True
            ).start()

    def write(self, data: bytes) -> Future[None]:
        """Queue requests; the future is done once they are sent."""
        return self._outbox.put(data)

    def close(self) -> None:
        """Close all connections; the server stays."""
        self._outbox.close()
        for each in list(self._sockets):
            _hang_up(each)

    def _connect(self) -> HTTPConnection:
        connection = HTTPConnection(_LOOPBACK, self._port, timeout=SECONDS)
        connection.connect()
        self._sockets.add(connection.sock)
        return connection

    def _exchange(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        body: str | None,
        read: Callable[[HTTPResponse], T],
    ) -> T:
        """Send a request and `read` the response, in SECONDS altogether."""
        limit = threading.Timer(SECONDS, _hang_up, (connection.sock,))
        limit.daemon = True
        limit.start()
        json_type = {"Content-Type": "application/json"} if body else {}
        try:
            connection.request(method, path, body, {**self._headers, **json_type})
            response = connection.getresponse()
            try:
                return read(response)
            except BaseException:
                response.close()
                raise
        finally:
            limit.cancel()

    def _read(self, received: Callable[[bytes], None]) -> None:
        try:
            for name, data in _events(self._stream):
                received(_notice(name, data))
        except _FAILURES as error:
            log.debug("the events ended: %s", error)
        self.close()
        self._stream.close()
        received(b"")

    def _write(self, received: Callable[[bytes], None]) -> None:
        for data, written in self._outbox:
            for line in data.splitlines():
                try:
                    reply = self._reply_to(line)
                except ClawTapError as error:
                    log.info("no reply of the CLI's server: %s", error.message)
                    if not written.done():
                        written.set_exception(error)
                else:
                    received(reply)
            if not written.done():
                written.set_result(None)

    def _reply_to(self, line: bytes) -> bytes:
        """Send the request on this line, and return its reply as a line."""
        try:
            request = json.loads(line)
            method, path = _REQUEST.fullmatch(request["method"]).groups()  # type: ignore[union-attr]
            body = json.dumps(request["params"]) if method == "POST" else None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Conflict("the adapter sent what is no request over HTTP") from error
        try:
            connection = self._connect()
        except OSError as error:
            raise server_gone() from error
        sock = connection.sock
        try:
            reply = self._exchange(connection, method, path, body, _body)
        except _FAILURES as error:
            raise NotConfirmed(f"the CLI's server did not reply: {error}") from error
        finally:
            self._sockets.discard(sock)
            connection.close()
        return json_line({"id": request["id"], **reply})


def _login(server: HttpServer) -> dict[str, str]:
    if not server.password:
        return {}
    login = base64.b64encode(f"{server.user}:{server.password}".encode()).decode()
    return {"Authorization": f"Basic {login}"}


def _stream(response: HTTPResponse) -> HTTPResponse:
    """Return the response if it is an event stream."""
    kind = response.getheader("Content-Type") or ""
    if response.status != 200 or not kind.startswith("text/event-stream"):
        raise ValueError(f"status {response.status}, {kind[:50] or 'without a type'}")
    return response


def _body(response: HTTPResponse) -> dict[str, Any]:
    """Return the reply's `result` or `error`."""
    data = response.read(LARGEST + 1)
    if not 200 <= response.status < 300:
        return {"error": {"message": f"status {response.status}"}}
    if len(data) > LARGEST:
        return {"error": {"message": f"the reply has more than {LARGEST} bytes"}}
    try:
        return {"result": {"body": json.loads(data) if data else None}}
    except (ValueError, RecursionError):
        return {"error": {"message": "the reply is not JSON"}}


def _events(stream: HTTPResponse) -> Iterator[tuple[str, str]]:
    """Yield each event's name and data."""
    name, lines, size = "message", list[str](), 0
    while line := stream.readline(LARGEST + 1):
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        field, _, value = text.partition(":")
        if field == "data":
            lines.append(value.removeprefix(" "))
            size += len(line)
            if size > LARGEST:
                raise ValueError("an event is too large")
        elif field == "event":
            name = value.strip()
        elif not text:
            if lines:
                yield name, "\n".join(lines)
            name, lines, size = "message", [], 0


def _notice(name: str, data: str) -> bytes:
    try:
        params = json.loads(data)
    except (ValueError, RecursionError):
        params = data
    return json_line({"method": name, "params": params})


def _hang_up(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
    sock.close()
