"""Print the server's URL, with a QR code on a terminal."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import segno

from clawtap_core.config import Settings
from clawtap_core.server.private_files import write_private

_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not listened on


def local_url(settings: Settings) -> str:
    """Return the URL for programs on this machine."""
    host = "127.0.0.1" if settings.host in _ANYWHERE else settings.host
    return _url(settings, host)


def public_url(settings: Settings) -> str:
    """Return the URL for other devices: the first allowed host, or this machine's address."""
    if not settings.allowed_hosts:
        return _url(settings, own_address() if settings.host in _ANYWHERE else settings.host)
    host = settings.allowed_hosts[0]
    if settings.insecure and not settings.tls_cert:
        return f"http://{host}"
    # Our own TLS is served on our port, that of a tunnel or proxy on 443.
    has_port = ":" in host.rpartition("]")[2]
    port = f":{settings.port}" if settings.tls_cert and not has_port else ""
    return f"https://{host}{port}"


def own_address() -> str:
    """Return this machine's address in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket picks the route and sends nothing.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        address: str = probe.getsockname()[0]
        return address


def announce(settings: Settings, code: str, out: TextIO) -> None:
    """Print the URL, on a terminal with a pairing code."""
    if not out.isatty():
        # Standard output may be a log that others read.
        print(f"ClawTap listens on {local_url(settings)}", file=out, flush=True)
        return
    print(f"ClawTap: open {local_url(settings)}/login#pair={code}", file=out)
    link = f"{public_url(settings)}/login#pair={code}"
    segno.make(link, error="l").terminal(out=out, compact=True, border=2)
    out.flush()


@contextmanager
def advertised(settings: Settings) -> Iterator[None]:
    """Keep server.json in the data folder while the server runs."""
    path = Path(settings.data_dir) / "server.json"
    fields = {"url": local_url(settings), "pid": os.getpid()}
    write_private(path, json.dumps(fields) + "\n")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _url(settings: Settings, host: str) -> str:
    scheme = "https" if settings.tls_cert else "http"
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}:{settings.port}"
