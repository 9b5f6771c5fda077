"""Devices: named tokens, each of which can be revoked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import request
from marshmallow import fields

from clawtap_core import schemas
from clawtap_core.model import Device, Invitation, Pairing
from clawtap_core.model.event_types import EventType
from clawtap_core.schemas import (
    DeviceBodySchema,
    DeviceToAdd,
    InvitationSchema,
    Invite,
    InviteBodySchema,
    PairingSchema,
)
from clawtap_core.schemas.derived import DerivedSchema
from clawtap_core.server.access_events import record_access
from clawtap_core.server.api.blueprint import OK, Blueprint, OkSchema
from clawtap_core.server.context import device, server
from clawtap_core.server.devices import validate_name
from clawtap_core.server.pairing import Access, PairingCode
from clawtap_core.server.phone import PhoneAddress, opened_url

blueprint = Blueprint("devices", __name__, "Devices and their tokens")


class DeviceSchema(schemas.DeviceSchema):
    """The holder of a token; `current` marks the one that sent the request."""

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


@blueprint.route("GET", "/devices", response=DeviceSchema(many=True))
def devices() -> Sequence[Device]:
    """Return every device."""
    return server().devices.all()


@blueprint.route("POST", "/devices", body=DeviceBodySchema, response=NewDeviceSchema, status=201)
def add(body: DeviceToAdd) -> NewDevice:
    """Create a named token, an owner's unless it has another role."""
    added, token = server().devices.add(body.name, role=body.role)
    record_access(EventType.DEVICE_ADDED, added)
    return NewDevice(added, token)


@blueprint.route(
    "POST", "/devices/pairing", body=InviteBodySchema, response=PairingSchema, status=201
)
def pair(body: Invite) -> Pairing:
    """Create a one-time code for another device, or for another person with a role."""
    issued = issue_code(body)
    link = f"/login#pair={issued.code}"
    # The origin also tells when a tunnel ends TLS.
    origin = request.headers.get("Origin", "")
    base = origin if origin.startswith("http") else request.host_url.rstrip("/")
    if issued.invitation is None:
        return Pairing(issued.code, issued.expires_at, base + link)
    # An invitation goes to another machine, where the address of this request may lead nowhere.
    phone = reachable_address(base)
    url = (phone.url or base) + link
    return Pairing(issued.code, issued.expires_at, url, issued.invitation.id, phone.advice or None)


@blueprint.route("GET", "/devices/invitations", response=InvitationSchema(many=True))
def invitations() -> Sequence[Invitation]:
    """Return the invitations that nobody has used yet, oldest first."""
    return server().pairing.invitations()


@blueprint.route("DELETE", "/devices/invitations/<invitation_id>", response=OkSchema)
def cancel(invitation_id: str) -> dict[str, Any]:
    """Revoke an invitation: its link lets nobody in any more."""
    cancel_invitation(invitation_id)
    return OK


@blueprint.route("DELETE", "/devices/<device_id>", response=OkSchema)
def revoke(device_id: str) -> dict[str, Any]:
    """Revoke a device and end its event streams."""
    revoke_device(device_id)
    return OK


def issue_code(invite: Invite) -> PairingCode:
    """Issue a code on behalf of this request's device, which ends with that device."""
    sender = device()
    by = sender.id if sender else ""
    name = validate_name(invite.name) if invite.name else ""
    issued = server().pairing.issue(Access(invite.role, name, by), invite.seconds)
    if issued.invitation:
        record_access(EventType.INVITATION_ADDED, issued.invitation)
    return issued


def cancel_invitation(invitation_id: str) -> None:
    """End an invitation on behalf of this request's device."""
    record_access(EventType.INVITATION_REMOVED, server().pairing.cancel(invitation_id))


def revoke_device(device_id: str) -> None:
    """Revoke a device on behalf of this request's device."""
    sender = device()
    record_access(EventType.DEVICE_REMOVED, server().devices.revoke(device_id), sender)


def reachable_address(base: str) -> PhoneAddress:
    """Return the address for another machine: `base`, by which this one came, if others can."""
    state = server()
    address = state.phones.address()
    opened = opened_url(state.settings, base, secure=request.is_secure)
    return replace(address, url=opened, advice="") if opened else address
