"""Push over HTTP: subscribe, unsubscribe, test it, and report which session is on screen."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from marshmallow import Schema, ValidationError, fields, validate

from clawtap_core.errors import ErrorCode, Impossible, NotFound
from clawtap_core.model import Role
from clawtap_core.schemas.base import BodySchema
from clawtap_core.server.api.blueprint import OK, Blueprint, OkSchema
from clawtap_core.server.context import device, server
from clawtap_core.server.roles import requires
from webui.push.service import Push
from webui.push.subscriptions import Subscription
from webui.site import site

blueprint = Blueprint("push", __name__, "Notices to browsers that are not open", "/api/push")
_TEXT = validate.Length(1, 2000)


def _require_https(value: str) -> None:
    parts = urlsplit(value)
    if parts.scheme != "https" or not parts.hostname:
        raise ValidationError("Not an https URL.")


class SubscriptionSchema(BodySchema):
    """A browser's subscription, and which notices it wants."""

    makes = dict
    endpoint = fields.String(required=True, validate=[_TEXT, _require_https])
    keys = fields.Dict(keys=fields.String(), values=fields.String(validate=_TEXT), required=True)
    prompts = fields.Boolean(load_default=True)
    turns = fields.Boolean(load_default=True)

    def build(self, data: dict[str, Any]) -> Subscription:
        """Return the subscription, for this request's device."""
        keys = {name: data["keys"].get(name, "") for name in ("p256dh", "auth")}
        sender = device()
        name = sender.id if sender else ""
        return Subscription(data["endpoint"], keys, name, data["prompts"], data["turns"])


class EndpointSchema(BodySchema):
    """The endpoint of a subscription."""

    makes = dict
    endpoint = fields.String(required=True, validate=_TEXT)


class LookSchema(BodySchema):
    """What a page shows: a session, or "*" for Needs you.

    `used`: the page is visible and in use; by default True if it shows a session. `number` grows
    with each report of a page, since requests overtake each other.
    """

    makes = dict
    page = fields.String(required=True, validate=validate.Length(1, 64))
    session_id = fields.String(validate=validate.Length(1, 200))
    used = fields.Boolean()
    number = fields.Integer(load_default=0, validate=validate.Range(0))


class SubscriberSchema(Schema):
    """A subscribed browser; `mine`: it belongs to the device that asks."""

    endpoint = fields.String(required=True)
    mine = fields.Boolean(required=True)
    prompts = fields.Boolean(required=True)
    turns = fields.Boolean(required=True)


class StateSchema(Schema):
    """Whether push is available here, or why not."""

    available = fields.Boolean(required=True)
    reason = fields.String()
    public_key = fields.String(data_key="publicKey")
    subscriptions = fields.List(fields.Nested(SubscriberSchema))


def _push() -> Push:
    """Return the push of this server; raise Impossible if it cannot send."""
    if server().on_hub:
        reason = "a hub sends no notifications; turn them on at each machine"
        raise Impossible(reason, code=ErrorCode.ON_A_HUB)
    push = site().push
    push.sender.check()
    return push


@blueprint.route("GET", "", response=StateSchema)
@requires(Role.ANSWER)
def state() -> dict[str, Any]:
    """Return whether push is available here, the key to subscribe with, and the subscribers."""
    try:
        push = _push()
    except Impossible as error:
        return {"available": False, "reason": error.message}
    subscribers = [_subscriber(subscription) for subscription in _visible(push)]
    return {
        "available": True,
        "public_key": push.sender.public_key,
        "subscriptions": subscribers,
    }


@blueprint.route("POST", "", body=SubscriptionSchema, response=SubscriberSchema)
@requires(Role.ANSWER)
def subscribe(subscription: Subscription) -> dict[str, Any]:
    """Subscribe this browser, or change its subscription."""
    _push().subscribe(subscription)
    return _subscriber(subscription)


@blueprint.route("DELETE", "", body=EndpointSchema, response=OkSchema)
@requires(Role.ANSWER)
def unsubscribe(body: dict[str, str]) -> dict[str, Any]:
    """Remove a browser's subscription."""
    push = _push()
    for subscription in _visible(push):
        if subscription.endpoint == body["endpoint"]:
            push.subscriptions.drop(subscription.endpoint)
    return OK


@blueprint.route("POST", "/test", body=EndpointSchema, response=OkSchema)
@requires(Role.ANSWER)
def test(body: dict[str, str]) -> dict[str, Any]:
    """Send one notice to a browser."""
    push = _push()
    for subscription in _visible(push):
        if subscription.endpoint == body["endpoint"]:
            return {"ok": push.test(subscription)}
    raise NotFound("this browser has not subscribed", code=ErrorCode.SUBSCRIPTION_NOT_FOUND)


@blueprint.route("POST", "/watching", body=LookSchema, response=OkSchema)
@requires(Role.ANSWER)
def watching(body: dict[str, Any]) -> dict[str, Any]:
    """Record which session a page shows, and whether it is in use."""
    sender = device()
    page = f"{sender.id if sender else ''}:{body['page']}"
    shows = body.get("session_id", "")
    used = body.get("used", bool(shows))
    server().notices.presence.report(page, shows if used else None, body["number"])
    return OK


def _visible(push: Push) -> list[Subscription]:
    """Return the subscriptions of this request's device; an owner sees all."""
    sender = device()
    if sender is None:
        return []
    every = push.subscriptions.all()
    return every if sender.role is Role.OWNER else [s for s in every if s.device == sender.id]


def _subscriber(subscription: Subscription) -> dict[str, Any]:
    mine = device()
    return {
        "endpoint": subscription.endpoint,
        "mine": mine is not None and mine.id == subscription.device,
        "prompts": subscription.prompts,
        "turns": subscription.turns,
    }
