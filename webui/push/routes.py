"""Push over HTTP: subscribe, unsubscribe, try it, and say what is looked at."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, jsonify, request
from marshmallow import ValidationError, fields, validate

from clawtap_core.errors import Impossible, NotFound
from clawtap_core.schemas import read_body
from clawtap_core.schemas.base import BodySchema
from clawtap_core.server.context import device
from webui.push.sender import MISSING, available
from webui.push.service import Push
from webui.push.subscriptions import Subscription
from webui.site import site

blueprint = Blueprint("webui_push", __name__, url_prefix="/api/push")
_TEXT = validate.Length(1, 2000)


def _https(value: str) -> None:
    parts = urlsplit(value)
    if parts.scheme != "https" or not parts.hostname:
        raise ValidationError("Not an https URL.")


class SubscriptionSchema(BodySchema):
    """What a browser's subscription holds, and of what it wants to hear."""

    makes = dict
    endpoint = fields.String(required=True, validate=[_TEXT, _https])
    keys = fields.Dict(keys=fields.String(), values=fields.String(validate=_TEXT), required=True)
    prompts = fields.Boolean(load_default=True)
    turns = fields.Boolean(load_default=True)

    def build(self, data: dict[str, Any]) -> Subscription:
        """The subscription, for this request's device."""
        keys = {name: data["keys"].get(name, "") for name in ("p256dh", "auth")}
        sender = device()
        name = sender.id if sender else ""
        return Subscription(data["endpoint"], keys, name, data["prompts"], data["turns"])


class EndpointSchema(BodySchema):
    """Which subscription is meant."""

    makes = dict
    endpoint = fields.String(required=True, validate=_TEXT)


class LookSchema(BodySchema):
    """What a page shows to somebody who looks; no session: it is out of sight."""

    makes = dict
    page = fields.String(required=True, validate=validate.Length(1, 64))
    session_id = fields.String(validate=validate.Length(1, 200))


def _push() -> Push:
    if not available():
        raise Impossible(MISSING, code="push_missing")
    return site().push


@blueprint.get("")
def state() -> Response:
    """Whether push can be had here, the key to subscribe with, and who has subscribed."""
    if not available():
        return jsonify({"available": False, "reason": MISSING})
    push = _push()
    known = [_shown(one) for one in push.subscriptions.all()]
    key = push.sender.public_key
    return jsonify({"available": True, "publicKey": key, "subscriptions": known})


@blueprint.post("")
def subscribe() -> Response:
    """Tell this browser from now on, or change of what."""
    wanted: Subscription = read_body(SubscriptionSchema, request.get_json(silent=True))
    _push().subscriptions.keep(wanted)
    return jsonify(_shown(wanted))


@blueprint.delete("")
def unsubscribe() -> Response:
    """Tell it no more."""
    body = read_body(EndpointSchema, request.get_json(silent=True))
    _push().subscriptions.drop(body["endpoint"])
    return jsonify({"ok": True})


@blueprint.post("/test")
def test() -> Response:
    """Send one notice to a browser."""
    body = read_body(EndpointSchema, request.get_json(silent=True))
    push = _push()
    for one in push.subscriptions.all():
        if one.endpoint == body["endpoint"]:
            return jsonify({"ok": push.test(one)})
    raise NotFound("this browser has not subscribed", code="subscription_not_found")


@blueprint.post("/watching")
def watching() -> Response:
    """A page is looked at, or no longer."""
    body = read_body(LookSchema, request.get_json(silent=True))
    sender = device()
    page = f"{sender.id if sender else ''}:{body['page']}"
    site().push.watching.looked(page, body.get("session_id"))
    return jsonify({"ok": True})


def _shown(one: Subscription) -> dict[str, Any]:
    mine = device()
    return {
        "endpoint": one.endpoint,
        "mine": mine is not None and mine.id == one.device,
        "prompts": one.prompts,
        "turns": one.turns,
    }
