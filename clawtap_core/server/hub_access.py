"""Devices and codes of a fleet's hubs: a device that one hub admits has access to all.

A hub keeps a copy of the devices in its data folder, and adds what Redis lost.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from clawtap_core.errors import ClawTapError, UsageError
from clawtap_core.fleet.access import SharedAccess
from clawtap_core.model import LOCAL, Device, Invitation, Role
from clawtap_core.server.devices import OWNER, Devices, read_device, stored_device
from clawtap_core.server.pairing import (
    Access,
    PairingCodes,
    digest_of,
    invitation_not_found,
    moment,
    read_invitation,
    stored_invitation,
)
from clawtap_core.server.private_files import read_json, write_private

log = logging.getLogger(__name__)


class HubDevices(Devices):
    """The devices of all hubs; `path` is this hub's copy."""

    def __init__(
        self, path: Path, owner_token: str, shared: SharedAccess, owner_name: str = LOCAL
    ) -> None:
        super().__init__(path, owner_token, owner_name)
        self._shared = shared
        self._removed_path = path.with_name("removed-devices.json")
        # Of those that cannot be read, the next refresh brings what the other hubs have.
        removed = read_json(self._removed_path, lambda ids: [*map(str, ids)], "revoked devices")
        self._removed = frozenset(removed or ())

    def add(self, name: str, kind: str = "token", role: Role = Role.OWNER) -> tuple[Device, str]:
        """Return a device that all hubs know, and its token."""
        device, token = super().add(name, kind, role)
        try:
            self._shared.add_device(device.id, stored_device(device))
        except ClawTapError:
            # It would work here only.
            self._drop(device.id)
            raise
        return device, token

    def find(self, token: str) -> Device | None:
        """Return the device with this token, which another hub may have let in just now."""
        if device := super().find(token):
            return device
        try:
            self.refresh()
        except ClawTapError as error:
            log.warning("the devices of the fleet cannot be read: %s", error.message)
        return super().find(token)

    def revoke(self, device_id: str) -> Device:
        """Revoke a device's token at every hub; without Redis, at the others once it is back."""
        if device_id != OWNER and self.role(device_id) is None:
            self.refresh()
        if device_id not in self._devices:
            return super().revoke(device_id)
        # First: a refresh in another thread would take it over from Redis again.
        self._removed |= {device_id}
        try:
            return super().revoke(device_id)
        finally:  # also where the disk of this hub is full
            self._share_removal(device_id)

    def _share_removal(self, device_id: str) -> None:
        try:
            self._shared.remove_device(device_id)
        except ClawTapError as error:
            log.warning("other hubs do not know yet that a device was revoked: %s", error.message)
        self._write_removed()

    def refresh(self) -> None:
        """Take over what other hubs changed, and give Redis what it lacks; Unavailable."""
        shared = self._shared.read_devices()
        for device_id in self._removed - shared.removed:
            self._shared.remove_device(device_id)
        for device_id in shared.removed - self._removed:
            self._drop(device_id)
            self._report_revoked(device_id)
        if not shared.removed <= self._removed:
            self._removed |= shared.removed
            self._write_removed()
        for device_id, fields in shared.devices.items():
            if device_id not in self._devices and device_id not in self._removed:
                self._take(device_id, fields)
        for device in list(self._devices.values()):
            if device.id not in shared.devices and device.id not in self._removed:
                self._shared.add_device(device.id, stored_device(device))

    def _take(self, device_id: str, fields: Any) -> None:
        try:
            device = read_device(fields)
        except (KeyError, TypeError, ValueError, AttributeError):
            log.warning("a device of the fleet could not be read")
            return
        if device.id == device_id != OWNER:
            with self._lock:
                self._devices[device_id] = device
                self._write_if_possible()

    def _drop(self, device_id: str) -> None:
        with self._lock:
            if self._devices.pop(device_id, None):
                self._write_if_possible()

    def _write_removed(self) -> None:
        try:
            write_private(self._removed_path, json.dumps(sorted(self._removed)) + "\n")
        except UsageError as error:
            log.warning("the revoked devices were not stored: %s", error.message)


class HubPairingCodes(PairingCodes):
    """Codes that any hub takes, each once in the whole fleet."""

    def __init__(self, shared: SharedAccess) -> None:
        super().__init__(clock=shared.now)
        self._shared = shared

    def use(self, code: str) -> Access | None:
        """Use up a code; return what it gives, or None if it was not valid."""
        kept = self._shared.take_code(digest_of(code))
        try:
            if kept is None or self._clock() >= float(kept["until"]):
                return None
            return Access(Role(kept["role"]), str(kept["name"]), str(kept["by"]))
        except (KeyError, TypeError, ValueError):
            return None

    def invitations(self) -> list[Invitation]:
        """Return the invitations that nobody has used, oldest first."""
        invitations = self._open_invitations().values()
        return sorted(invitations, key=lambda invitation: invitation.created_at)

    def cancel(self, invitation_id: str) -> Invitation:
        """End an invitation at every hub."""
        for digest, invitation in self._open_invitations().items():
            if invitation.id == invitation_id and self._shared.take_code(digest):
                return invitation
        raise invitation_not_found(invitation_id)

    def revoke(self, device_id: str) -> None:
        """Drop every code that a device issued."""
        try:
            for digest, kept in self._shared.read_codes().items():
                if kept.get("by") == device_id:
                    self._shared.take_code(digest)
        except ClawTapError as error:
            log.warning("the codes of a revoked device stay until they expire: %s", error.message)

    def _valid_until(self, code_digest: str) -> float:
        kept = self._shared.read_codes().get(code_digest, {})
        until = kept.get("until", 0.0)
        return until if isinstance(until, (int, float)) else 0.0

    def _keep(self, code_digest: str, access: Access, until: float) -> None:
        self._add(code_digest, access, until, None)

    def _invite(self, code_digest: str, access: Access, until: float) -> Invitation:
        invitation = self._new_invitation(access, until, len(self._open_invitations()))
        self._add(code_digest, access, until, invitation)
        return invitation

    def _add(
        self, code_digest: str, access: Access, until: float, invitation: Invitation | None
    ) -> None:
        now = self._clock()
        for digest, kept in self._shared.read_codes().items():
            if kept.get("until", 0) < now:
                self._shared.take_code(digest)
        shown = stored_invitation(code_digest, invitation) if invitation else None
        self._shared.add_code(
            code_digest,
            {
                "until": until,
                "role": access.role.value,
                "name": access.name,
                "by": access.by,
                "invitation": shown,
            },
        )

    def _open_invitations(self) -> dict[str, Invitation]:
        now, invitations = moment(self._clock()), {}
        for digest, kept in self._shared.read_codes().items():
            try:
                invitation = read_invitation(kept["invitation"])
            except (KeyError, TypeError, ValueError):
                continue  # a short code
            if now < invitation.expires_at:
                invitations[digest] = invitation
        return invitations
