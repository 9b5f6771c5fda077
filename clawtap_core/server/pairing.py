"""One-time codes, which let a phone or another person in without typing a token."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from clawtap_core.model import Role
from clawtap_core.server.devices import digest

# No characters that look alike; 10 of 31 make 49 bits for ten minutes.
_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_LENGTH = 10
# A code that is valid for longer is sent as a link, and can be as long as half a token.
_LONG = 25
_GROUP = 5
# Each page that is opened may issue one.
_MOST = 20
SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a code gives: a role, and the device's name if that is not the guest's to choose.

    `by` is the id of the device that issued it, if one did.
    """

    role: Role = Role.OWNER
    name: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A code, and when it expires."""

    code: str
    expires_at: datetime


class PairingCodes:
    """The unused codes, each valid once within its time; a restart ends them."""

    def __init__(
        self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[float, Invitation]] = {}

    def issue(
        self, invitation: Invitation | None = None, seconds: float | None = None
    ) -> PairingCode:
        """Return a new code; if there are too many, drop the one that expires first."""
        seconds = self._seconds if seconds is None else seconds
        length = _LENGTH if seconds <= SECONDS else _LONG
        letters = "".join(secrets.choice(_ALPHABET) for _ in range(length))
        with self._lock:
            while len(self._waiting) >= _MOST:
                del self._waiting[min(self._waiting, key=lambda code: self._waiting[code][0])]
            until = self._clock() + seconds
            self._waiting[digest(letters)] = (until, invitation or Invitation())
        groups = (letters[at : at + _GROUP] for at in range(0, length, _GROUP))
        expires_at = datetime.now(timezone.utc) + timedelta(seconds=seconds)
        return PairingCode("-".join(groups), expires_at)

    def use(self, code: str) -> Invitation | None:
        """Use up a code; return what it gives, or None if it was not valid."""
        # Look up digests, so that timing reveals nothing of the codes.
        code_digest = digest("".join(filter(str.isalnum, code.upper())))
        with self._lock:
            until, invitation = self._waiting.pop(code_digest, (0.0, None))
        return invitation if self._clock() < until else None

    def revoke(self, device_id: str) -> None:
        """Drop every code that a device issued."""
        with self._lock:
            self._waiting = {
                code: (until, invitation)
                for code, (until, invitation) in self._waiting.items()
                if invitation.by != device_id
            }
