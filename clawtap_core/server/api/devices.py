"""Devices: named tokens, each of which can be revoked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import request
from marshmallow import fields

from clawtap_core.schemas import DeviceBodySchema, DeviceToAdd, Invite, InviteBodySchema
from clawtap_core.schemas.derived import DerivedSchema, derived
from clawtap_core.server.api.blueprint import OK, Blueprint, OkSchema
from clawtap_core.server.context import device, server
from clawtap_core.server.devices import Device, validate_name
from clawtap_core.server.pairing import Invitation, PairingCode

blueprint = Blueprint("devices", __name__, "Devices and their tokens")


class DeviceSchema(DerivedSchema):
    """The holder of a token; `current` marks the one that sent the request."""

    makes = Device
    hidden = frozenset({"digest"})
    current = fields.Function(
        lambda shown: (sender := device()) is not None and shown.id == sender.id,
        metadata={"type": "boolean"},
    )


@dataclass(frozen=True, slots=True)
class NewDevice:
    """A new device and its token, which is shown only here."""

    device: Device
    token: str


class NewDeviceSchema(DerivedSchema):
    """A new device and its token, which is shown only once."""

    makes = NewDevice
    device = fields.Nested(DeviceSchema, required=True)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A pairing code, and a URL with the code in its fragment, which no server sees."""

    code: str
    expires_at: datetime
    url: str


@blueprint.route("GET", "/devices", response=DeviceSchema(many=True))
def devices() -> Sequence[Device]:
    """Return every device."""
    return server().devices.all()


@blueprint.route("POST", "/devices", body=DeviceBodySchema, response=NewDeviceSchema, status=201)
def add(body: DeviceToAdd) -> NewDevice:
    """Create a named token, an owner's unless it has another role."""
    return NewDevice(*server().devices.add(body.name, role=body.role))


@blueprint.route(
    "POST", "/devices/pairing", body=InviteBodySchema, response=derived(Pairing), status=201
)
def pair(body: Invite) -> Pairing:
    """Create a one-time code for another device, or for another person with a role."""
    issued = issue_code(body)
    # The origin also tells when a tunnel ends TLS.
    origin = request.headers.get("Origin", "")
    base = origin if origin.startswith("http") else request.host_url.rstrip("/")
    return Pairing(issued.code, issued.expires_at, f"{base}/login#pair={issued.code}")


@blueprint.route("DELETE", "/devices/<device_id>", response=OkSchema)
def revoke(device_id: str) -> dict[str, Any]:
    """Revoke a device and end its event streams."""
    server().devices.revoke(device_id)
    return OK


def issue_code(invite: Invite) -> PairingCode:
    """Issue a code on behalf of this request's device, which ends with that device."""
    sender = device()
    by = sender.id if sender else ""
    name = validate_name(invite.name) if invite.name else ""
    return server().pairing.issue(Invitation(invite.role, name, by), invite.seconds)
