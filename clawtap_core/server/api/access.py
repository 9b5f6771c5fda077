"""Logging in and out: a cookie for a token, or for a one-time pairing code."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import jsonify, make_response, redirect, request
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError, ErrorCode, Unauthorized
from clawtap_core.model import Device, Role
from clawtap_core.model.event_types import EventType
from clawtap_core.schemas import Login, LoginBodySchema
from clawtap_core.server.access_events import record_access
from clawtap_core.server.api.blueprint import OK, Blueprint, OkSchema
from clawtap_core.server.api.devices import DeviceSchema, revoke_device
from clawtap_core.server.auth import (
    LOGIN,
    cookie_token,
    drop_cookie,
    local_next,
    public,
    set_cookie,
)
from clawtap_core.server.context import device, server
from clawtap_core.server.devices import OWNER
from clawtap_core.server.pairing import Access
from clawtap_core.server.request_input import FormInputParser, is_form
from clawtap_core.server.roles import requires
from clawtap_core.server.user_agent import device_name

BROWSER = "browser"
blueprint = Blueprint("access", __name__, "Logging in and out")
_parser = FormInputParser()
_BODY = {"required": True, "content": {"application/json": {"schema": LoginBodySchema}}}


@blueprint.route("POST", "/login", response=OkSchema, requestBody=_BODY, security=[])
@public
def login() -> Response:
    """Exchange a token or a pairing code for a cookie; redirect a form to its `next`."""
    try:
        entered, token = _enter(_parser.parse(LoginBodySchema))
    except ClawTapError as error:
        if not is_form():
            raise
        asked = urlencode({"error": error.code, "next": local_next(request.form.get("next"))})
        return redirect(f"{LOGIN}?{asked}", 303)
    response = (
        redirect(local_next(request.form.get("next")), 303)
        if is_form()
        else make_response(jsonify({**OK, "device": DeviceSchema().dump(entered)}))
    )
    set_cookie(response, token)
    return response


@blueprint.route("POST", "/logout", response=OkSchema)
@requires(Role.WATCH)
def logout() -> Response:
    """Delete the cookie, and revoke the token if a login created it."""
    current = device()
    if current and current.kind == BROWSER and cookie_token():
        revoke_device(current.id)
    response = redirect(LOGIN, 303) if is_form() else make_response(jsonify(OK))
    drop_cookie(response)
    return response


def _enter(login: Login) -> tuple[Device, str]:
    client, failures = request.remote_addr or "-", server().login_failures
    # Tokens cannot be guessed, so failures of others do not lock out their holders.
    if login.token and (device := server().devices.find(login.token)):
        # The owner's token stays on the machine; each browser gets one that can be revoked alone.
        if device.id == OWNER:
            return _new_browser(login, Access())
        return device, login.token
    failures.check(client)
    if login.code and (access := server().pairing.use(login.code)):
        entered, token = _new_browser(login, access)
        server().pairing.record_paired(login.code, entered.name)
        return entered, token
    failures.failed(client)
    if login.code:
        raise Unauthorized(
            "this pairing code is wrong, used or too old; ask for another",
            code=ErrorCode.WRONG_CODE,
        )
    raise Unauthorized("this token is not known, or it was revoked", code=ErrorCode.UNKNOWN_TOKEN)


def _new_browser(login: Login, access: Access) -> tuple[Device, str]:
    name = access.name or login.name or device_name(request.headers.get("User-Agent", ""))
    entered, token = server().devices.add(name, BROWSER, access.role)
    record_access(EventType.DEVICE_ADDED, entered, entered)
    return entered, token
