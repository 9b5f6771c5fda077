"""Open the listening socket and load the TLS certificate."""

from __future__ import annotations

import errno
import socket
import ssl
from dataclasses import replace
from typing import Any

from clawtap_core.config import Settings
from clawtap_core.errors import ErrorCode, UsageError


def listen_everywhere(settings: Settings) -> tuple[socket.socket, ...]:
    """Return listening sockets for IPv4 and, where there is any, for IPv6."""
    first = listen(replace(settings, host="0.0.0.0"))  # noqa: S104 - with TLS, for --lan
    settings = replace(settings, host="::", port=first.getsockname()[1])
    try:
        return first, listen(settings)
    except UsageError as error:
        if error.code == ErrorCode.PORT_IN_USE:
            first.close()
            raise
        return (first,)


def listen(settings: Settings) -> socket.socket:
    """Return a listening socket; raise UsageError if there can be none."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise _cannot_listen(settings, error) from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        # IPv4 has a listener of its own; its clients would have odd addresses here.
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, settings.lan)
    # Inherited by connections: small replies and events must not wait 40 ms for an ACK.
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
            f"{where} is in use by another program or another ClawTap;"
            " end it, or choose another port with --port",
            code=ErrorCode.PORT_IN_USE,
        )
    reason = error.strerror or str(error)
    return UsageError(f"cannot listen on {where}: {reason}", code=ErrorCode.CANNOT_LISTEN)


def check_listens(settings: Settings) -> None:
    """Raise UsageError if a server with these settings could not listen."""
    tls_arguments(settings)
    for listener in listen_everywhere(settings) if settings.lan else (listen(settings),):
        listener.close()


def tls_arguments(settings: Settings) -> dict[str, Any]:
    """Return the server's TLS arguments; raise UsageError for a bad certificate."""
    if not settings.tls_cert:
        return {}
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # Without a password OpenSSL would prompt for one on the terminal.
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password="")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the certificate {settings.tls_cert} or its key cannot be used: {error}",
            code=ErrorCode.BAD_CERTIFICATE,
        ) from error
    return {"ssl_context": context}
