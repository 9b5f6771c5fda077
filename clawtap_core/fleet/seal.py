"""Seal values, so that Redis and its host can neither read nor forge them.

A sealed value names its place, so one that was moved elsewhere does not open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cryptography.fernet import Fernet, InvalidToken

# More than any machine publishes: a prompt's texts and a page of messages are limited.
_MOST_BYTES = 8 * 1024 * 1024


class SealBroken(Exception):
    """A value was not sealed with this fleet's key, or not for this place."""


class Seal:
    """Seals JSON values with a fleet's secret."""

    def __init__(self, secret: str) -> None:
        self._fernet = Fernet(secret)

    def close(self, place: str, value: object) -> bytes:
        """Return the value sealed for a place, such as a key and a field."""
        text = json.dumps([place, value], ensure_ascii=False, separators=(",", ":"))
        return self._fernet.encrypt(text.encode("utf-8", "surrogatepass"))

    def open(self, place: str, sealed: object) -> Any:
        """Return the value; raise SealBroken for anything that was not sealed for this place."""
        if not isinstance(sealed, bytes) or len(sealed) > _MOST_BYTES:
            raise SealBroken(place)
        try:
            text = self._fernet.decrypt(sealed).decode("utf-8", "surrogatepass")
            sealed_for, value = json.loads(text)
        except (InvalidToken, ValueError, TypeError, RecursionError) as error:
            raise SealBroken(place) from error
        if sealed_for != place:
            raise SealBroken(place)
        return value

    def read(self, place: str, sealed: object) -> Any:
        """Return the value, or None for anything that was not sealed for this place."""
        try:
            return self.open(place, sealed)
        except SealBroken:
            return None

    def read_fields(self, key: str, fields: Mapping[bytes, bytes]) -> dict[str, Any]:
        """Return the values of a hash by field, None for those not sealed for their field."""
        return {
            (name := field.decode("utf-8", "replace")): self.read(f"{key} {name}", sealed)
            for field, sealed in fields.items()
        }
