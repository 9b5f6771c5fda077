"""One-time pairing codes: how a phone gets in without anyone typing a token."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from clawtap_core.server.devices import digest

# Without letters and digits that look like each other; 10 of 31 make 49 bits for ten minutes.
_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_LENGTH = 10
_MOST = 20


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A code, as it is shown, and until when it can be used."""

    code: str
    expires_at: datetime


class PairingCodes:
    """The codes that wait to be used, each once, within `seconds`."""

    def __init__(self, seconds: float = 600.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[str, float] = {}

    def issue(self) -> PairingCode:
        """A new code; the oldest of too many that wait is dropped."""
        letters = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        with self._lock:
            while len(self._waiting) >= _MOST:
                del self._waiting[next(iter(self._waiting))]
            self._waiting[digest(letters)] = self._clock() + self._seconds
        until = datetime.now(timezone.utc) + timedelta(seconds=self._seconds)
        return PairingCode(f"{letters[:5]}-{letters[5:]}", until)

    def use(self, code: str) -> bool:
        """Whether the code is good; it is not, a second time."""
        given = digest(_normal(code))
        with self._lock:
            # Digests are compared, never codes: the time a look-up takes tells nothing of them.
            until = self._waiting.pop(given, None)
        return until is not None and self._clock() < until


def _normal(code: str) -> str:
    return "".join(letter for letter in code.upper() if letter.isalnum())
