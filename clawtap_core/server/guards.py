"""Check hosts and origins, and restrict what our pages may load.

The Host check stops DNS rebinding; the Origin and Fetch-Metadata checks stop other ports of
this host, which SameSite cookies allow.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, current_app, redirect, request
from werkzeug.wrappers import Response

from clawtap_core.config import Settings
from clawtap_core.errors import ErrorCode, Forbidden
from clawtap_core.server.connections import PLAIN
from clawtap_core.server.context import server
from clawtap_core.server.phone import ANYWHERE

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


View = TypeVar("View", bound=Callable[..., Any])
_PLAIN_VIEW = "clawtap_plain"
CERTIFICATE_PAGE = "/certificate"


def plain_http(view: View) -> View:
    """Mark a view as served without TLS in the local network; apply it below `route`."""
    setattr(view, _PLAIN_VIEW, True)
    return view


def install(app: Flask) -> None:
    """Check every request, and add headers to every response."""
    app.before_request(_check_encryption)
    app.before_request(_check_site)
    app.after_request(_add_headers)


def _check_encryption() -> Response | None:
    """Refuse requests that could carry a token unencrypted."""
    view = current_app.view_functions.get(request.endpoint or "")
    if not request.environ.get(PLAIN) or getattr(view, _PLAIN_VIEW, False):
        return None
    if request.method in _SAFE and not request.path.startswith("/api/"):
        return redirect(CERTIFICATE_PAGE, 303)
    raise Forbidden(
        "this connection is not encrypted, so it serves the certificate only; use https://",
        code=ErrorCode.TLS_NEEDED,
    )


def _check_site() -> None:
    settings = server().settings
    host = request.environ.get("HTTP_HOST", "")
    name = _split(host)[0] or host
    if not host:
        raise Forbidden("the request has no Host header", code=ErrorCode.HOST_NOT_ALLOWED)
    if not (host_allowed(host, settings) or server().phones.is_ours(name)):
        raise Forbidden(
            f"the host {host!r} is not allowed; start ClawTap with --allowed-host {name}"
            " if it is yours",
            code=ErrorCode.HOST_NOT_ALLOWED,
        )
    if not _origin_allowed(host, settings):
        raise Forbidden(
            "this request comes from another site's page", code=ErrorCode.ORIGIN_NOT_ALLOWED
        )


def host_allowed(host: str, settings: Settings) -> bool:
    """Return whether a Host header names this server."""
    name, port = _split(host)
    if not name:
        return False
    if name in _LOOPBACK or name == settings.host.lower():
        return True
    # A page cannot rebind a bare address, only a name.
    if settings.host in ANYWHERE and _is_address(name):
        return True
    return _listed(name, port, settings)


def _origin_allowed(host: str, settings: Settings) -> bool:
    site = request.headers.get("Sec-Fetch-Site")
    if site not in (None, "same-origin", "none") and not _is_visit():
        return False
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    if origin == "null":
        # Our forms send this, since our pages have no referrer; only the browser can vouch.
        return site == "same-origin"
    return _is_ours(origin, host, settings)


def _is_visit() -> bool:
    # A person follows a link from elsewhere to one of our pages.
    return (
        request.method in _SAFE
        and not request.path.startswith("/api/")
        and request.headers.get("Sec-Fetch-Mode") == "navigate"
        and request.headers.get("Sec-Fetch-Dest") == "document"
    )


def _is_ours(origin: str, host: str, settings: Settings) -> bool:
    try:
        parts = urlsplit(origin)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.scheme not in ("http", "https"):
        return False
    # A tunnel or proxy may end TLS, and may set its own Host.
    return parts.netloc.lower() == host.lower() or _listed(name, port, settings)


def _listed(name: str, port: int | None, settings: Settings) -> bool:
    for allowed in settings.allowed_hosts:
        its_name, its_port = _split(allowed)
        if name == its_name and its_port in (None, port):
            return True
    return False


def _split(host: str) -> tuple[str, int | None]:
    """Return the name in lower case, "" if it is invalid, and the port."""
    if host.count(":") > 1 and not host.startswith("["):
        return (host.lower(), None) if _is_address(host) else ("", None)
    try:
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname or "", parts.port
    except ValueError:
        return "", None
    plain = not (parts.path or parts.query or parts.fragment or "@" in host)
    return (name.rstrip("."), port) if plain else ("", None)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    # Private, unless the view allows caching as it does for assets.
    response.headers.setdefault("Cache-Control", "no-store")
    return response
