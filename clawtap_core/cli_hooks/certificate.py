"""The names that the server's certificate is made out to, read as a client reads them."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any


def certified_name(certificate: Path, key: Path, address: str) -> str:
    """The address, where the certificate is made out to it; else a name that it is made out to."""
    names = _names(certificate, key)
    if address in names:
        return address
    name = next(iter(names), address)
    return f"clawtap{name[1:]}" if name.startswith("*") else name


def _names(certificate: Path, key: Path) -> list[str]:
    try:
        found = _peer_certificate(certificate, key)
    except (ssl.SSLError, OSError):
        return []
    pairs = [*found.get("subjectAltName", ()), *(pair for row in found["subject"] for pair in row)]
    return [name for kind, name in pairs if kind in ("DNS", "IP Address", "commonName")]


def _peer_certificate(certificate: Path, key: Path) -> dict[str, Any]:
    """The certificate after a handshake in memory: the library reads it for a client only."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key, password="")
    asking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    asking.check_hostname = False
    asking.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    asking.load_verify_locations(certificate)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = asking.wrap_bio(down, up)
    server = serving.wrap_bio(up, down, server_side=True)
    waiting = [client, server]
    for _ in range(10):
        waiting = [side for side in waiting if not _shaken(side)]
        if not waiting:
            break
    return dict(client.getpeercert() or {"subject": ()})


def _shaken(side: ssl.SSLObject) -> bool:
    try:
        side.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True
