"""The fields that the page shows of events whose data is not a value of the model."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import Event

_TEXTS = (
    "by",
    "device",
    "action",
    "mode",
    "model",
    "error",
    "title",
    "message",
    "text",
    "name",
    "role",
)


@dataclass(frozen=True, slots=True)
class EventFields:
    """The fields of an event's data; empty where it lacks them."""

    by: str
    device: str
    action: str
    mode: str
    model: str
    error: str
    title: str
    message: str
    text: str
    name: str
    role: str
    rule: str
    message_id: str
    device_id: str
    keys: tuple[str, ...]
    attachments: tuple[str, ...]


def event_fields(event: Event) -> EventFields:
    """Read the fields of an event."""
    data = event.data
    rule = data.get("rule")
    return EventFields(
        **{name: str(data.get(name) or "") for name in _TEXTS},
        rule=str(rule.get("name") or "") if isinstance(rule, dict) else "",
        message_id=str(data.get("messageId") or ""),
        device_id=str(data.get("deviceId") or ""),
        keys=tuple(map(str, data.get("keys") or ())),
        attachments=tuple(map(str, data.get("attachments") or ())),
    )
