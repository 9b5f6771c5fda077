"""The owner's token, and named tokens that can be revoked one by one.

A token is 256 random bits, so an unsalted SHA-256 is stored. Only the owner's token itself is
kept, for the local command line.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from clawtap_core.errors import BadRequest, ErrorCode, Impossible, NotFound, UsageError
from clawtap_core.model import LOCAL, Device, Role
from clawtap_core.model.moments import utc_now
from clawtap_core.server.private_files import private_folder, write_private

log = logging.getLogger(__name__)
OWNER = "owner"
NAME_LENGTH = 80
# Storing each use would write the file for every request.
_USE_KEPT_EVERY = timedelta(minutes=1)


class Devices:
    """The devices with access, stored in `path`; `owner_name` is that of the owner's token."""

    def __init__(self, path: Path, owner_token: str, owner_name: str = LOCAL) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._owner = Device(OWNER, owner_name, OWNER, utc_now(), digest=digest(owner_token))
        self._devices = {device.id: device for device in _read(path)}
        self._revoked: list[Callable[[str], None]] = []

    @property
    def folder(self) -> Path:
        """The folder of the list."""
        return self._path.parent

    def all(self) -> list[Device]:
        """Return every device, the owner first, then oldest first."""
        return [self._owner, *sorted(self._devices.values(), key=lambda d: d.created_at)]

    def add(self, name: str, kind: str = "token", role: Role = Role.OWNER) -> tuple[Device, str]:
        """Return a new device and its token, which is never shown again."""
        token = secrets.token_urlsafe(32)
        device = Device(
            secrets.token_hex(6),
            validate_name(name),
            kind,
            utc_now(),
            digest=digest(token),
            role=role,
        )
        with self._lock:
            self._devices[device.id] = device
            try:
                self._write()
            except UsageError:
                del self._devices[device.id]  # nobody learns its token
                raise
        return device, token

    def find(self, token: str) -> Device | None:
        """Return the device with this token and record its use."""
        token_digest, match = digest(token), None
        # Compare every digest, so that the time taken reveals nothing.
        for device in self.all():
            if hmac.compare_digest(device.digest, token_digest):
                match = device
        return self._record_use(match) if match else None

    def revoke(self, device_id: str) -> Device:
        """Revoke a device's token; return the device."""
        if device_id == OWNER:
            raise Impossible(
                "the owner's token cannot be revoked; delete the file `token` in the data folder"
                " and start again to get another",
                code=ErrorCode.OWNER_TOKEN,
            )
        with self._lock:
            revoked = self._devices.pop(device_id, None)
            if revoked is None:
                raise NotFound(f"no such device: {device_id!r}", code=ErrorCode.DEVICE_NOT_FOUND)
        # It is cut off now, also where the disk does not take that.
        self._report_revoked(device_id)
        with self._lock:
            self._write()
        return revoked

    def _report_revoked(self, device_id: str) -> None:
        for callback in self._revoked:
            try:
                callback(device_id)
            except UsageError as error:  # the disk is full: the others cut it off all the same
                log.warning("the end of a device was not stored: %s", error.message)

    def on_revoke(self, callback: Callable[[str], None]) -> None:
        """Call `callback` with the id of each revoked device."""
        self._revoked.append(callback)

    def alive(self, device_id: str) -> bool:
        """Return whether this device still has access."""
        return self.role(device_id) is not None

    def role(self, device_id: str) -> Role | None:
        """Return the role of a device; None without access."""
        device = self._owner if device_id == OWNER else self._devices.get(device_id)
        return device.role if device else None

    def _record_use(self, device: Device) -> Device:
        now = utc_now()
        used = replace(device, last_used=now)
        if device.kind == OWNER:
            self._owner = used
        elif device.last_used is None or now - device.last_used > _USE_KEPT_EVERY:
            with self._lock:
                if device.id in self._devices:
                    self._devices[device.id] = used
                    self._write_if_possible()
        return used

    def _write_if_possible(self) -> None:
        try:
            self._write()
        except UsageError as error:
            log.warning("a change of a device was not stored: %s", error.message)

    def _write(self) -> None:
        private_folder(self._path.parent)
        kept = [stored_device(device) for device in self._devices.values()]
        write_private(self._path, json.dumps({"devices": kept}, indent=1) + "\n")


def digest(text: str) -> str:
    """Return the digest that is stored in place of a token or another text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def validate_name(name: str) -> str:
    """Return the stripped name; raise BadRequest if it is not printable."""
    name = name.strip()
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise BadRequest(
            f"a device's name must have 1 to {NAME_LENGTH} printable characters",
            code=ErrorCode.BAD_NAME,
        )
    return name


def stored_device(device: Device) -> dict[str, str | None]:
    """Return a device as JSON."""
    return {
        "id": device.id,
        "name": device.name,
        "kind": device.kind,
        "createdAt": device.created_at.isoformat(),
        "lastUsed": device.last_used.isoformat() if device.last_used else None,
        "digest": device.digest,
        "role": device.role.value,
    }


def _read(path: Path) -> list[Device]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return [read_device(fields) for fields in kept["devices"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(
            f"{path} is damaged ({error}); move it away and pair your devices again",
            code=ErrorCode.DEVICES_DAMAGED,
        ) from error


def read_device(stored: Mapping[str, str]) -> Device:
    """Return the device of a JSON object; raise KeyError, TypeError or ValueError."""
    used = stored["lastUsed"]
    return Device(
        stored["id"],
        stored["name"],
        stored["kind"],
        datetime.fromisoformat(stored["createdAt"]),
        datetime.fromisoformat(used) if used else None,
        stored["digest"],
        # Devices from before there were roles could do everything.
        Role(stored.get("role", Role.OWNER)),
    )
