"""What the page shows of events whose data is no value of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clawtap_core.model import Event


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
    message_id: str
    text: str
    keys: tuple[str, ...]
    attachments: tuple[str, ...]


def event_fields(event: Event) -> EventFields:
    """Read the fields of an event."""
    data = event.data
    return EventFields(
        by=_text(data, "by"),
        device=_text(data, "device"),
        action=_text(data, "action"),
        mode=_text(data, "mode"),
        model=_text(data, "model"),
        error=_text(data, "error"),
        title=_text(data, "title"),
        message=_text(data, "message"),
        message_id=_text(data, "messageId"),
        text=_text(data, "text"),
        keys=_texts(data, "keys"),
        attachments=_texts(data, "attachments"),
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    return str(data.get(name) or "")


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(map(str, data.get(name) or ()))
