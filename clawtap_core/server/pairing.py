"""One-time pairing codes, which log a phone in without typing a token."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from clawtap_core.server.devices import digest

# No characters that look alike; 10 of 31 make 49 bits for ten minutes.
_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_LENGTH = 10
# Each page that is opened may issue one.
_MOST = 20


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A code, and when it expires."""

    code: str
    expires_at: datetime


class PairingCodes:
    """The unused codes, each valid once within `seconds`."""

    def __init__(self, seconds: float = 600.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[str, float] = {}

    def issue(self) -> PairingCode:
        """Return a new code, dropping the oldest if there are too many."""
        letters = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        with self._lock:
            while len(self._waiting) >= _MOST:
                del self._waiting[next(iter(self._waiting))]
            self._waiting[digest(letters)] = self._clock() + self._seconds
        until = datetime.now(timezone.utc) + timedelta(seconds=self._seconds)
        return PairingCode(f"{letters[:5]}-{letters[5:]}", until)

    def use(self, code: str) -> bool:
        """Use up a code and return whether it was valid."""
        # Look up digests, so that timing reveals nothing of the codes.
        code_digest = digest("".join(filter(str.isalnum, code.upper())))
        with self._lock:
            until = self._waiting.pop(code_digest, None)
        return until is not None and self._clock() < until
