"""The socket to listen on, and how TLS is spoken on it: what is wrong is told at the start."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Any

from clawtap_core.config import Settings
from clawtap_core.errors import ErrorCode, UsageError


def listen(settings: Settings) -> socket.socket:
    """A listening socket; UsageError says why there can be none."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Inherited by what is accepted: small replies and events must not wait 40 ms for an ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(256)
    except OSError as error:
        listener.close()
        raise _cannot_listen(settings, error) from error
    listener.setblocking(False)
    return listener


def _cannot_listen(settings: Settings, error: OSError) -> UsageError:
    where = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return UsageError(
            f"{where} is in use by another program (another ClawTap?);"
            " end it, or choose another port with --port",
            code=ErrorCode.PORT_IN_USE,
        )
    reason = error.strerror or str(error)
    return UsageError(f"cannot listen on {where}: {reason}", code=ErrorCode.CANNOT_LISTEN)


def tls_arguments(settings: Settings) -> dict[str, Any]:
    """How TLS is spoken, if it is; a certificate that cannot be used is told at the start."""
    if not settings.tls_cert:
        return {}
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # A key that asks for a password would wait for one at a terminal that is not there.
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password="")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the certificate {settings.tls_cert} or its key cannot be used: {error}",
            code=ErrorCode.BAD_CERTIFICATE,
        ) from error
    return {"ssl_context": context}
