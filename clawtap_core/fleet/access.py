"""The devices and one-time codes that may use the hubs of a fleet, shared over Redis.

All values are sealed. A device that was removed stays listed as removed, so no copy of it that
some hub still has can bring it back.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.redis_client import explained
from clawtap_core.fleet.seal import Seal

_REMOVED = "removed:"


@dataclass(frozen=True, slots=True)
class SharedDevices:
    """The devices by id, as JSON, and the ids of those that were removed."""

    devices: Mapping[str, Mapping[str, Any]]
    removed: frozenset[str]


class SharedAccess:
    """The devices and codes of a fleet; raises Unavailable where Redis cannot be used."""

    def __init__(self, client: Any, key: FleetKey) -> None:
        self.use(client, key)

    def use(self, client: Any, key: FleetKey) -> None:
        """Use another key from now on."""
        self._client, self._key = client, key
        self._seal = Seal(key.secret)
        keys = Keys(key.fleet)
        self._devices, self._codes = keys.devices, keys.codes

    @property
    def owner_token(self) -> str:
        """Return the owner's token of every hub; nobody without the fleet key can make it."""
        secret = hmac.new(self._key.secret.encode(), b"the owner's token of the hubs", "sha256")
        return urlsafe_b64encode(secret.digest()).decode().rstrip("=")

    @property
    def cookie_name(self) -> str:
        """Return the name of the cookie, one for all hubs, whatever their ports."""
        return f"clawtap_{hashlib.sha256(self._key.fleet.encode()).hexdigest()[:12]}"

    def now(self) -> float:
        """Return Redis's time in seconds, since the clocks of hubs may differ."""
        with explained(self._client, self._key):
            seconds, microseconds = self._client.time()
        return float(seconds + microseconds / 1e6)

    def read_devices(self) -> SharedDevices:
        """Return every device of the fleet."""
        fields = self._read(self._devices)
        removed = frozenset(
            name.removeprefix(_REMOVED) for name in fields if name.startswith(_REMOVED)
        )
        devices = {
            name: device
            for name, device in fields.items()
            if name not in removed and isinstance(device, Mapping)
        }
        return SharedDevices(devices, removed)

    def add_device(self, device_id: str, device: Mapping[str, Any]) -> None:
        """Let a device in, at every hub."""
        self._put(self._devices, device_id, device)

    def remove_device(self, device_id: str) -> None:
        """Shut a device out, at every hub."""
        self._put(self._devices, f"{_REMOVED}{device_id}", True)
        with explained(self._client, self._key):
            self._client.hdel(self._devices, device_id)

    def read_codes(self) -> dict[str, Any]:
        """Return every unused code, by its digest."""
        return self._read(self._codes)

    def add_code(self, digest: str, access: Mapping[str, Any]) -> None:
        """Add a code that one hub takes once."""
        self._put(self._codes, digest, access)

    def take_code(self, digest: str) -> Any:
        """Use up a code; return what it gives, or None if there is none."""
        with explained(self._client, self._key):
            sealed = self._client.hget(self._codes, digest)
            # Of several hubs that take it at once, only one removes it.
            taken = sealed is not None and self._client.hdel(self._codes, digest)
        return self._seal.read(f"{self._codes} {digest}", sealed) if taken else None

    def _put(self, key: str, name: str, value: object) -> None:
        with explained(self._client, self._key):
            self._client.hset(key, name, self._seal.close(f"{key} {name}", value))

    def _read(self, key: str) -> dict[str, Any]:
        with explained(self._client, self._key):
            fields = self._client.hgetall(key)
        values = self._seal.read_fields(key, fields)
        return {name: value for name, value in values.items() if value is not None}
