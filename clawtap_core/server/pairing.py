"""One-time codes, which let a phone or another person in without typing a token."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from clawtap_core.errors import ErrorCode, NotFound, TooManyRequests, UsageError
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import Invitation, Role
from clawtap_core.server.devices import digest
from clawtap_core.server.private_files import private_folder, read_json, write_private

# No characters that look alike; 10 of 31 make 49 bits for ten minutes.
_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_LENGTH = 10
# An invitation is sent as a link, and can be as long as half a token: its digest is stored.
_LONG = 25
_GROUP = 5
# Each page that is opened may issue one.
_MOST = 20
MOST_INVITATIONS = 50
SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Access:
    """What a code gives: a role, and the device's name if that is not the guest's to choose.

    `by` is the id of the device that issued it, if one did.
    """

    role: Role = Role.OWNER
    name: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A code, when it expires, and its invitation, if it is one."""

    code: str
    expires_at: datetime
    invitation: Invitation | None = None

    @property
    def id(self) -> str:
        """The name by which the code's use is followed; it lets nobody in."""
        return digest_of(self.code)


@dataclass(frozen=True, slots=True)
class CodeUse:
    """Whether a code is still valid, and the name of the device that it paired.

    A code that is neither valid nor paired a device has expired, was revoked, or was used on
    another hub.
    """

    valid: bool
    device: str = ""


class PairingCodes:
    """The unused codes, each valid once within its time.

    Those that name a person or last longer than usual are invitations: they are listed, and kept
    in `path` over a restart.
    """

    def __init__(
        self,
        path: Path | None = None,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._codes: dict[str, tuple[float, Access]] = {}
        self._paired: LimitedDict[str, str] = LimitedDict(_MOST)
        self._invitations = _read(path) if path else {}

    def issue(self, access: Access | None = None, seconds: float | None = None) -> PairingCode:
        """Return a new code; if there are too many, drop the short one that expires first."""
        access = access or Access()
        seconds = self._seconds if seconds is None else seconds
        invites = bool(access.name) or seconds > SECONDS
        length = _LONG if invites else _LENGTH
        letters = "".join(secrets.choice(_ALPHABET) for _ in range(length))
        until = self._clock() + seconds
        with self._lock:
            invitation = self._invite(digest(letters), access, until) if invites else None
            if invitation is None:
                self._keep(digest(letters), access, until)
        groups = (letters[at : at + _GROUP] for at in range(0, length, _GROUP))
        return PairingCode("-".join(groups), moment(until), invitation)

    def use(self, code: str) -> Access | None:
        """Use up a code; return what it gives, or None if it was not valid."""
        code_digest = digest_of(code)
        with self._lock:
            until, access = self._codes.pop(code_digest, (0.0, None))
            if invitation := self._invitations.pop(code_digest, None):
                try:
                    self._write()
                except UsageError:
                    self._invitations[code_digest] = invitation  # it let nobody in
                    raise
                until = invitation.expires_at.timestamp()
                access = Access(invitation.role, invitation.name, invitation.by)
        return access if self._clock() < until else None

    def record_paired(self, code: str, device_name: str) -> None:
        """Note which device a used code let in, for the page that still shows the code."""
        with self._lock:
            self._paired[digest_of(code)] = device_name

    def use_of(self, code_id: str) -> CodeUse:
        """Return whether a code is still valid, and which device it paired."""
        with self._lock:
            device = self._paired.get(code_id, "")
        return CodeUse(not device and self._clock() < self._valid_until(code_id), device)

    def invitations(self) -> list[Invitation]:
        """Return the invitations that nobody has used, oldest first."""
        with self._lock:
            return sorted(self._valid().values(), key=lambda invitation: invitation.created_at)

    def cancel(self, invitation_id: str) -> Invitation:
        """End an invitation."""
        with self._lock:
            for code_digest, invitation in self._valid().items():
                if invitation.id == invitation_id:
                    del self._invitations[code_digest]
                    self._write()
                    return invitation
        raise invitation_not_found(invitation_id)

    def revoke(self, device_id: str) -> None:
        """Drop every code that a device issued."""
        with self._lock:
            self._codes = {
                code: (until, access)
                for code, (until, access) in self._codes.items()
                if access.by != device_id
            }
            left = {code: each for code, each in self._invitations.items() if each.by != device_id}
            if len(left) < len(self._invitations):
                self._invitations = left
                self._write()

    def _valid_until(self, code_digest: str) -> float:
        with self._lock:
            if invitation := self._invitations.get(code_digest):
                return invitation.expires_at.timestamp()
            return self._codes.get(code_digest, (0.0, None))[0]

    def _keep(self, code_digest: str, access: Access, until: float) -> None:
        while len(self._codes) >= _MOST:
            del self._codes[min(self._codes, key=lambda code: self._codes[code][0])]
        self._codes[code_digest] = (until, access)

    def _invite(self, code_digest: str, access: Access, until: float) -> Invitation:
        self._invitations = self._valid()
        invitation = self._new_invitation(access, until, len(self._invitations))
        self._invitations[code_digest] = invitation
        try:
            self._write()
        except UsageError:
            del self._invitations[code_digest]  # nobody learns its code
            raise
        return invitation

    def _new_invitation(self, access: Access, until: float, open_ones: int) -> Invitation:
        if open_ones >= MOST_INVITATIONS:
            raise TooManyRequests(
                f"{MOST_INVITATIONS} invitations are open; revoke some of them first",
                code=ErrorCode.TOO_MANY_INVITATIONS,
            )
        return Invitation(
            secrets.token_hex(6),
            access.name,
            access.role,
            moment(self._clock()),
            moment(until),
            access.by,
        )

    def _valid(self) -> dict[str, Invitation]:
        now = moment(self._clock())
        return {code: each for code, each in self._invitations.items() if now < each.expires_at}

    def _write(self) -> None:
        if self._path is None:
            return
        private_folder(self._path.parent)
        kept = [
            stored_invitation(code, invitation) for code, invitation in self._invitations.items()
        ]
        write_private(self._path, json.dumps({"invitations": kept}, indent=1) + "\n")


def invitation_not_found(invitation_id: str) -> NotFound:
    """Return the error for an invitation that is not open."""
    return NotFound(
        f"no such invitation: {invitation_id!r}; it may have been used",
        code=ErrorCode.INVITATION_NOT_FOUND,
    )


def digest_of(code: str) -> str:
    """Return the digest of a code as somebody typed it; timing then reveals nothing of it."""
    return digest("".join(filter(str.isalnum, code.upper())))


def moment(seconds: float) -> datetime:
    """Return a time in seconds since 1970 as a date."""
    return datetime.fromtimestamp(seconds, timezone.utc)


def stored_invitation(code_digest: str, invitation: Invitation) -> dict[str, str]:
    """Return an invitation as JSON."""
    return {
        "digest": code_digest,
        "id": invitation.id,
        "name": invitation.name,
        "role": invitation.role.value,
        "createdAt": invitation.created_at.isoformat(),
        "expiresAt": invitation.expires_at.isoformat(),
        "by": invitation.by,
    }


def _read(path: Path) -> dict[str, Invitation]:
    def parse(kept: Any) -> dict[str, Invitation]:
        return {str(each["digest"]): read_invitation(each) for each in kept["invitations"]}

    # Nobody gets in by what cannot be read; new invitations can be made.
    return read_json(path, parse, "open invitations") or {}


def read_invitation(stored: Mapping[str, Any]) -> Invitation:
    """Return the invitation of a JSON object; raise KeyError, TypeError or ValueError."""
    return Invitation(
        str(stored["id"]),
        str(stored["name"]),
        Role(stored["role"]),
        datetime.fromisoformat(stored["createdAt"]),
        datetime.fromisoformat(stored["expiresAt"]),
        str(stored["by"]),
    )
