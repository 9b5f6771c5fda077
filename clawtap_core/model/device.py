"""Devices with access, and invitations that give it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from clawtap_core.model.role import Role


@dataclass(frozen=True, slots=True)
class Device:
    """The holder of a token; `kind` is owner (token file), token or browser (login)."""

    id: str
    name: str
    kind: str
    created_at: datetime
    last_used: datetime | None = None
    digest: str = field(default="", repr=False)
    role: Role = Role.OWNER


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link that lets a person in once; `by` is the id of the device that made it."""

    id: str
    name: str
    role: Role
    created_at: datetime
    expires_at: datetime
    by: str = ""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A one-time code, and a URL with the code in its fragment, which no server sees.

    `id` is that of the invitation, if it is one. `advice` says how to get a URL that other
    machines can open, if this one cannot.
    """

    code: str
    expires_at: datetime
    url: str
    id: str | None = None
    advice: str | None = None
