"""The bridge where there is no curl.

It is copied to the data folder and run there, so it imports only the standard library.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


def main() -> None:
    """Post standard input to a URL and print the reply."""
    folder, url, pane, tmux, process, limit = sys.argv[1:7]
    door = json.loads(Path(folder, "door.json").read_text(encoding="utf-8"))
    headers = {
        "Authorization": f"Bearer {door['secret']}",
        "Content-Type": "application/json",
        "Host": door["host"],
        "X-ClawTap-Pane": pane,
        "X-ClawTap-Tmux": tmux,
        "X-ClawTap-Process": process,
    }
    target = urlsplit(url)
    connection = _connection(target, door, float(limit))
    connection.request("POST", target.path, sys.stdin.buffer.read(), headers)
    reply = connection.getresponse()
    if reply.status == http.client.OK:
        sys.stdout.buffer.write(reply.read())


def _connection(target: Any, door: dict[str, Any], limit: float) -> http.client.HTTPConnection:
    to = (door["address"], target.port)
    if not door["certificate"]:
        return http.client.HTTPConnection(*to, timeout=limit)
    context = ssl.create_default_context(cafile=door["certificate"])
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    connection = http.client.HTTPSConnection(*to, timeout=limit, context=context)
    plain = socket.create_connection(to, timeout=limit)
    connection.sock = context.wrap_socket(plain, server_hostname=target.hostname)
    return connection


if __name__ == "__main__":
    try:
        main()
    except Exception:
        sys.exit(0)
