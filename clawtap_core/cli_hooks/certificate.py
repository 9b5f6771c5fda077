"""Read the names of the server's certificate, as a client sees them."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any


def certified_name(certificate: Path, key: Path, address: str) -> str:
    """Return the address if the certificate covers it, else a name that it covers."""
    names = _names(certificate, key)
    if address in names:
        return address
    name = next(iter(names), address)
    return f"clawtap{name[1:]}" if name.startswith("*") else name


def _names(certificate: Path, key: Path) -> list[str]:
    try:
        certificate_fields = _peer_certificate(certificate, key)
    except (ssl.SSLError, OSError):
        return []
    pairs = [
        *certificate_fields.get("subjectAltName", ()),
        *(pair for row in certificate_fields["subject"] for pair in row),
    ]
    return [name for kind, name in pairs if kind in ("DNS", "IP Address", "commonName")]


def _peer_certificate(certificate: Path, key: Path) -> dict[str, Any]:
    """Return the certificate's fields."""
    # The ssl module parses a certificate only for a client, so shake hands in memory.
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(certificate, key, password="")
    client_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = False
    client_context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client_context.load_verify_locations(certificate)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server)
    server = server_context.wrap_bio(to_server, to_client, server_side=True)
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
