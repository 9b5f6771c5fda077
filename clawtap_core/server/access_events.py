"""Journal who was invited, admitted and revoked, and by whom."""

from __future__ import annotations

from datetime import datetime, timezone

from clawtap_core.model import Device, Event, Invitation
from clawtap_core.model.event_types import EventType
from clawtap_core.schemas import dump
from clawtap_core.server.context import device, server


def record_access(kind: EventType, subject: Device | Invitation, by: Device | None = None) -> None:
    """Write that `by`, or else the sender of this request, changed who has access."""
    actor = by or device()
    data = {
        "by": "user",
        "device": actor.name if actor else "unknown",
        "name": subject.name,
        "role": subject.role.value,
    }
    if isinstance(subject, Invitation):
        data["expiresAt"] = dump(subject)["expiresAt"]
    server().record(Event(kind.value, datetime.now(timezone.utc), None, data))
