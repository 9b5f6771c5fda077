"""Describe invalid input, as one sentence and by field."""

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
    """Return the error that tells a user what to change."""
    messages = _unwrapped(schema, _by_field(error))
    return BadRequest(
        _sentence(schema, list(_faults(messages))),
        code=ErrorCode.BAD_REQUEST,
        details={_cut(str(name)): _shown(texts) for name, texts in islice(messages.items(), _MOST)},
    )


def _by_field(error: ValidationError) -> Mapping[Any, Any]:
    messages = error.messages
    return messages if isinstance(messages, dict) else {"_schema": messages}


def _unwrapped(schema: Schema, messages: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Remove the location that webargs puts around messages."""
    if len(messages) == 1:
        ((name, inner),) = messages.items()
        if name in _LOCATIONS and isinstance(inner, Mapping) and name not in schema.fields:
            return inner
    return messages


def _faults(messages: Mapping[Any, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each fault with the path of its field."""
    for key, inner in messages.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(inner, Mapping):
            yield from _faults(inner, name)
        else:
            yield from ((name, str(text)) for text in _listed(inner))


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
        accepted = ", ".join(field.data_key or name for name, field in schema.load_fields.items())
        return f"unknown field: {_joined(unknown)} (known: {accepted})"
    name, text = faults[0]
    return f"{_cut(name)}: {_cut(text)}"


def _joined(names: list[str]) -> str:
    *others, last = [_cut(name) for name in names[:_MOST]]
    return f"{', '.join(others)} and {last}" if others else last


def _listed(texts: Any) -> list[Any]:
    return list(texts) if isinstance(texts, (list, tuple)) else [texts]


def _shown(texts: Any) -> Any:
    """Shorten messages to a helpful number and length."""
    if isinstance(texts, Mapping):
        few = islice(texts.items(), _MOST)
        return {_cut(str(name)): _shown(inner) for name, inner in few}
    return [str(text) for text in _listed(texts)[:_MOST]]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
