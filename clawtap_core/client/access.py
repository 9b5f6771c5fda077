"""Devices and invitations of a server elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from clawtap_core.client.api_client import ApiClient
from clawtap_core.model import Device, Invitation, Pairing, Role
from clawtap_core.schemas import load


class Access:
    """The devices and invitations of the server at `url`."""

    def __init__(self, url: str, token: str, *, verify: bool | str = True) -> None:
        self._api = ApiClient(url, token, verify)

    def devices(self) -> Sequence[Device]:
        """Return every device."""
        return self._api.list(Device, "/devices", "List devices")

    def invitations(self) -> Sequence[Invitation]:
        """Return the invitations that nobody has used yet."""
        return self._api.list(Invitation, "/devices/invitations", "List invitations")

    def invite(self, name: str, role: Role, seconds: float) -> Pairing:
        """Invite a person; the link is returned only here."""
        body = {"name": name, "role": role.value, "seconds": seconds}
        return self._api.post(Pairing, "/devices/pairing", "Invite", body)

    def add(self, name: str, role: Role) -> tuple[Device, str]:
        """Add a device and return it with its token, which is returned only here."""
        body = {"name": name, "role": role.value}
        reply = self._api.call("POST", "/devices", "Add device", body)
        return load(Device, reply["device"]), str(reply["token"])

    def revoke(self, device_id: str) -> None:
        """Revoke a device's token."""
        self._api.call("DELETE", f"/devices/{quote(device_id, safe='')}", "Revoke")

    def cancel(self, invitation_id: str) -> None:
        """Revoke an invitation."""
        path = f"/devices/invitations/{quote(invitation_id, safe='')}"
        self._api.call("DELETE", path, "Revoke invitation")
