"""The bridge where there is no curl.

It is copied to the data folder and run there, so it imports only the standard library.
"""

from __future__ import annotations

import http.client
import socket
import sys


def main() -> None:
    """Post standard input over a UNIX socket and print the reply."""
    socket_path, path, pane, tmux, process, limit = sys.argv[1:7]
    connection = http.client.HTTPConnection("localhost", timeout=float(limit))
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(float(limit))
    connection.sock.connect(socket_path)
    headers = {
        "Content-Type": "application/json",
        "X-ClawTap-Pane": pane,
        "X-ClawTap-Tmux": tmux,
        "X-ClawTap-Process": process,
    }
    connection.request("POST", path, sys.stdin.buffer.read(), headers)
    reply = connection.getresponse()
    if reply.status == http.client.OK:
        sys.stdout.buffer.write(reply.read())


if __name__ == "__main__":
    try:
        main()
    except Exception:
        sys.exit(0)
