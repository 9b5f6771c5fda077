"""Require a token for every route, and the role it needs, unless its view is marked `public`."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

from flask import Flask, current_app, g, has_request_context, redirect, request
from werkzeug.wrappers import Response

from clawtap_core.errors import ErrorCode, Unauthorized
from clawtap_core.model import Device
from clawtap_core.server.connections import PRIVATE, SOCKET
from clawtap_core.server.context import server, server_of, use_device
from clawtap_core.server.roles import check_role, required_role

LOGIN = "/login"
_PUBLIC, _PRIVATE = "clawtap_public", "clawtap_private"
_YEAR = 365 * 24 * 3600
View = TypeVar("View", bound=Callable[..., Any])


def public(view: View) -> View:
    """Mark a view as needing no token; apply it below `route`."""
    setattr(view, _PUBLIC, True)
    return view


def private_socket(view: View) -> View:
    """Mark a view as needing no token over the private socket; apply it below `route`."""
    setattr(view, _PRIVATE, True)
    return view


def install(app: Flask) -> None:
    """Require a token for every request, and end requests of a revoked device."""
    app.before_request(_require_device)
    app.after_request(_forget_connection)
    state = server_of(app)
    # A device that revokes itself still gets its reply.
    state.devices.on_revoke(lambda device_id: state.connections.close(device_id, but=_connection()))


def local_next(target: str | None) -> str:
    """Return the path to open after a login; "/" unless it is on this server."""
    # Browsers take "//host" and "/\\host" for another site.
    if not target or not target.startswith("/") or target.startswith("//"):
        return "/"
    return target if target.isprintable() and "\\" not in target else "/"


def cookie_name() -> str:
    """Return the cookie's name, with the port, since cookies are shared by all ports."""
    return server().cookie_name or f"clawtap_{server().settings.port}"


def cookie_token() -> str:
    """Return the token in the request's cookie, or an empty string."""
    return request.cookies.get(cookie_name(), "")


def set_cookie(response: Response, token: str) -> None:
    """Set the token as a cookie that scripts cannot read."""
    origin = request.headers.get("Origin", "")
    response.set_cookie(
        cookie_name(),
        token,
        max_age=_YEAR,
        path="/",
        httponly=True,
        samesite="Strict",
        # Behind a tunnel that ends TLS only the page's origin shows https.
        secure=request.is_secure or origin.startswith("https://"),
    )


def drop_cookie(response: Response) -> None:
    """Delete the token's cookie."""
    response.delete_cookie(cookie_name(), path="/")


def _require_device() -> Response | None:
    sender = _identify()
    use_device(sender)
    if sender and (connection := _connection()):
        g.clawtap_forget = server().connections.add(sender.id, connection)
    if _is_public():
        return None
    if sender:
        # Without a view there is nothing to do but the router's own 404 or 405.
        if view := current_app.view_functions.get(request.endpoint or ""):
            check_role(sender.role, required_role(view))
        return None
    if wants_page():
        query = request.query_string.decode("ascii", "replace")
        here = f"{request.path}?{query}" if query else request.path
        return redirect(f"{LOGIN}?next={quote(here, safe='/')}", 303)
    if request.headers.get("Authorization") or cookie_token():
        raise Unauthorized(
            "this token is not known, or it was revoked", code=ErrorCode.UNKNOWN_TOKEN
        )
    raise Unauthorized(
        "a token is needed: send it as `Authorization: Bearer TOKEN`, or log in at /login"
    )


def _identify() -> Device | None:
    # A token in the URL is ignored: it would be in histories, logs and referrers.
    header = request.headers.get("Authorization")
    if header is None:
        token = cookie_token()
    else:
        scheme, _, token = header.strip().partition(" ")
        token = token.strip() if scheme.lower() == "bearer" else ""
    return server().devices.find(token) if token else None


def _connection() -> socket.socket | None:
    return request.environ.get(SOCKET) if has_request_context() else None


def _forget_connection(response: Response) -> Response:
    if forget := g.pop("clawtap_forget", None):
        # A stream lasts until the response is closed.
        response.call_on_close(forget)
    return response


def _is_public() -> bool:
    view = current_app.view_functions.get(request.endpoint or "")
    if request.environ.get(PRIVATE) and getattr(view, _PRIVATE, False):
        return True
    # Flask's own static views serve a blueprint's static folder only.
    return getattr(view, _PUBLIC, False) or getattr(view, "__name__", "") == "send_static_file"


def wants_page() -> bool:
    """Return whether a browser asks for a page to show."""
    return (
        request.method in ("GET", "HEAD")
        and not request.path.startswith("/api/")
        and request.path != LOGIN
        and request.accept_mimetypes.accept_html
        and "text/html" in request.headers.get("Accept", "")
    )
