"""Notice requests of other devices."""

from __future__ import annotations

from datetime import datetime, timezone
from urllib.parse import urlsplit

from flask import Flask, request
from werkzeug.wrappers import Response

from clawtap_core.config import is_loopback
from clawtap_core.server.context import device, server, server_of
from clawtap_core.server.device_arrivals import Arrival
from clawtap_core.server.guards import CERTIFICATE_PAGE
from clawtap_core.server.user_agent import device_name, is_phone


def install(app: Flask) -> None:
    """Record requests to an address that other machines use."""
    arrivals = server_of(app).arrivals

    def note(response: Response) -> Response:
        if response.status_code < 300 and _from_elsewhere() and (arrival := _arrival()):
            arrivals.record(arrival)
        return response

    app.after_request(note)


def _from_elsewhere() -> bool:
    host = urlsplit(f"//{request.host}").hostname or "localhost"
    lan = server().phones.lan
    return not is_loopback(host) and not (lan and request.remote_addr in lan.addresses)


def _arrival() -> Arrival | None:
    sender = device()
    agent = request.headers.get("User-Agent", "")
    if request.path == CERTIFICATE_PAGE:
        stage = "certificate"
    elif sender:
        stage = "signed in"
    elif request.path == "/login":
        stage = "page"
    else:
        return None
    name = sender.name if sender else device_name(agent)
    return Arrival(name, is_phone(agent), stage, datetime.now(timezone.utc))
