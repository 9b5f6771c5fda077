"""The bridge where there is no curl: one request, by the standard library alone.

Copied into the data folder, and run there by itself: it imports nothing of ClawTap.
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
    """Post standard input to a URL; print what comes back, or nothing."""
    folder, url, pane, tmux, process, limit = sys.argv[1:7]
    known = json.loads(Path(folder, "door.json").read_text(encoding="utf-8"))
    headers = {
        "Authorization": f"Bearer {known['secret']}",
        "Content-Type": "application/json",
        "Host": known["host"],
        "X-ClawTap-Pane": pane,
        "X-ClawTap-Tmux": tmux,
        "X-ClawTap-Process": process,
    }
    asked = urlsplit(url)
    connection = _connection(asked, known, float(limit))
    connection.request("POST", asked.path, sys.stdin.buffer.read(), headers)
    reply = connection.getresponse()
    if reply.status == http.client.OK:
        sys.stdout.buffer.write(reply.read())


def _connection(asked: Any, known: dict[str, Any], limit: float) -> http.client.HTTPConnection:
    to = (known["address"], asked.port)
    if not known["certificate"]:
        return http.client.HTTPConnection(*to, timeout=limit)
    context = ssl.create_default_context(cafile=known["certificate"])
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    connection = http.client.HTTPSConnection(*to, timeout=limit, context=context)
    plain = socket.create_connection(to, timeout=limit)
    connection.sock = context.wrap_socket(plain, server_hostname=asked.hostname)
    return connection


if __name__ == "__main__":
    try:
        main()
    except Exception:
        sys.exit(0)
