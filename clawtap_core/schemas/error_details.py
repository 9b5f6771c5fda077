"""What is wrong with the input, as one sentence and by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from marshmallow import Schema, ValidationError

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.schemas.base import BodySchema

MISSING = "Missing data for required field."
UNKNOWN = "Unknown field."
NOT_AN_OBJECT = "Invalid input type."
_LOCATIONS = frozenset({"json", "query", "query_string", "form"})
_MOST = 20
_LONGEST = 80


def refusal(schema: Schema, error: ValidationError) -> BadRequest:
    """The error that tells a user what to change. `schema` refused the input with `error`."""
    messages = _unwrapped(schema, _by_field(error))
    return BadRequest(
        _sentence(schema, list(_faults(messages))),
        code=ErrorCode.BAD_REQUEST,
        details={_cut(str(name)): _shown(found) for name, found in islice(messages.items(), _MOST)},
    )


def _by_field(error: ValidationError) -> Mapping[Any, Any]:
    found = error.messages
    return found if isinstance(found, dict) else {"_schema": found}


def _unwrapped(schema: Schema, messages: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The messages without the place that webargs puts around them."""
    if len(messages) == 1:
        ((name, inner),) = messages.items()
        if name in _LOCATIONS and isinstance(inner, Mapping) and name not in schema.fields:
            return inner
    return messages


def _faults(messages: Mapping[Any, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Each fault with the path of its field."""
    for key, found in messages.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(found, Mapping):
            yield from _faults(found, name)
        else:
            yield from ((name, str(text)) for text in _listed(found))


def _sentence(schema: Schema, faults: list[tuple[str, str]]) -> str:
    if ("_schema", NOT_AN_OBJECT) in faults:
        return "the body must be a JSON object"
    missing = [name for name, text in faults if text == MISSING]
    if isinstance(schema, BodySchema) and schema.sentence and schema.needs & set(missing):
        return schema.sentence
    if missing:
        return f"{_joined(missing)} {'is' if len(missing) == 1 else 'are'} required"
    unknown = [name for name, text in faults if text == UNKNOWN]
    if unknown:
        known = ", ".join(field.data_key or name for name, field in schema.load_fields.items())
        return f"unknown field: {_joined(unknown)} (known: {known})"
    name, text = faults[0]
    return f"{_cut(name)}: {_cut(text)}"


def _joined(names: list[str]) -> str:
    *others, last = [_cut(name) for name in names[:_MOST]]
    return f"{', '.join(others)} and {last}" if others else last


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _shown(found: Any) -> Any:
    """Messages as they are told: no more of them, and no longer, than helps."""
    if isinstance(found, Mapping):
        few = islice(found.items(), _MOST)
        return {_cut(str(name)): _shown(inner) for name, inner in few}
    return [str(text) for text in _listed(found)[:_MOST]]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
