"""The Flask app."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from clawtap_core.config import Settings
from clawtap_core.model import Actor, Event
from clawtap_core.server import api, arrival_watch, auth, context, errors, guards, request_input
from clawtap_core.server.devices import Devices
from clawtap_core.server.hook_receiver import HookReceiver
from clawtap_core.server.notices.service import Notices, Send
from clawtap_core.server.pairing import PairingCodes
from clawtap_core.server.phone import PhoneAccess
from clawtap_core.server.request_input import LIMIT
from clawtap_core.transport import Transport


def create_app(
    transport_for: Callable[[Actor], Transport],
    settings: Settings,
    *,
    devices: Devices,
    extend: Callable[[Flask], None] = lambda app: None,
    hooks: HookReceiver | None = None,
    phones: PhoneAccess | None = None,
    send_notice: Send = lambda notice, answers: None,
    record: Callable[[Event], None] = lambda event: None,
    pairing: PairingCodes | None = None,
    cookie_name: str = "",
) -> Flask:
    """Return the app over a transport.

    `extend` adds pages, which are guarded like the API and use `context.transport()`; `hooks`
    accepts reports of CLI hooks; `phones` knows how other devices reach this server; `send_notice`
    delivers notices; `record` writes an event to the journal; `pairing` and `cookie_name` are those
    of all hubs, where this is one.
    """
    app = Flask("clawtap", root_path=".", static_folder=None, template_folder=None)
    # Accept one byte above the limit, so that our own 413 handler sees the oversized body.
    app.config["MAX_CONTENT_LENGTH"] = LIMIT + 1
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # would redirect to a page, which no program expects
    app.json.sort_keys = False  # type: ignore[attr-defined]
    phones = phones or PhoneAccess(settings)
    notices = Notices(settings, devices, transport_for, send_notice)
    pairing = pairing or PairingCodes(devices.folder / "invitations.json")
    devices.on_revoke(pairing.revoke)
    context.attach(
        app,
        context.Server(
            transport_for,
            settings,
            devices,
            pairing,
            phones,
            notices,
            hooks=hooks,
            record=record,
            cookie_name=cookie_name,
        ),
    )
    guards.install(app)
    auth.install(app)
    arrival_watch.install(app)
    request_input.install(app)
    errors.install(app)
    api.install(app)
    extend(app)
    return app
