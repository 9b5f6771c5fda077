"""POST over one connection that stays open, as a browser does."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any
from urllib.parse import urlsplit


class Poster:
    """A client with nothing between it and the socket."""

    def __init__(self, url: str, token: str) -> None:
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path: str, body: Any, *, status: int = http.client.OK) -> None:
        """Post as JSON; RuntimeError when it is not taken."""
        self._connection.request("POST", path, json.dumps(body).encode(), self._headers)
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status != status:
            raise RuntimeError(f"{answer.status}: {said.decode()}")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
