"""JSON schemas of the stream's events, for the API description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

from clawtap_core.model.event_types import EVENT_DATA, EventType
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.registry import schema_of

_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean"}


def stream_event(reference: Callable[[type[ValueSchema]], dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of an event: its name, with the data of that name.

    `reference` returns the reference to a value's schema.
    """
    return {"oneOf": [_event(name, kind, reference) for name, kind in EVENT_DATA.items()]}


def _event(
    name: EventType, kind: type, reference: Callable[[type[ValueSchema]], dict[str, Any]]
) -> dict[str, Any]:
    data = _typed_dict(kind) if issubclass(kind, dict) else reference(schema_of(kind))
    event = {"type": "string", "enum": [name.value]}
    return {
        "type": "object",
        "title": name.value,
        "properties": {"event": event, "data": data},
        "required": ["event", "data"],
    }


def _typed_dict(kind: type) -> dict[str, Any]:
    properties = {key: _json_type(hint) for key, hint in get_type_hints(kind).items()}
    required = sorted(kind.__required_keys__)  # type: ignore[attr-defined]
    return {
        "type": "object",
        "title": kind.__name__,
        "description": kind.__doc__,
        "properties": properties,
        "required": required,
    }


def _json_type(hint: Any) -> dict[str, Any]:
    if get_origin(hint) is list:
        return {"type": "array", "items": _json_type(get_args(hint)[0])}
    return {"type": _SIMPLE.get(hint, "object")}
