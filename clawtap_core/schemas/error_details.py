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
# An error repeats what was sent, which may be long.
_MOST = 20
_LONGEST = 80


def refusal(schema: Schema, error: ValidationError) -> BadRequest:
    """Return the error that tells a user what to change."""
    messages = error.messages if isinstance(error.messages, dict) else {"_schema": error.messages}
    if len(messages) == 1:
        ((location, inner),) = messages.items()
        # webargs puts the place of the input around the messages.
        if location in _LOCATIONS and isinstance(inner, dict) and location not in schema.fields:
            messages = inner
    return BadRequest(
        _sentence(schema, list(_faults(messages))),
        code=ErrorCode.BAD_REQUEST,
        details={_cut(str(name)): _shown(texts) for name, texts in islice(messages.items(), _MOST)},
    )


def _faults(messages: Mapping[Any, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for key, inner in messages.items():
        # marshmallow's name for a value as a whole, such as an option that is a number.
        name = path if path and key == "_schema" else f"{path}.{key}" if path else str(key)
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
        known = f"known: {accepted}" if accepted else "none is known here"
        return f"unknown field: {_joined(unknown)} ({known})"
    name, text = faults[0]
    return f"{_cut(name)}: {_cut(text)}"


def _joined(names: list[str]) -> str:
    *others, last = [_cut(name) for name in names[:_MOST]]
    return f"{', '.join(others)} and {last}" if others else last


def _listed(texts: Any) -> list[Any]:
    return list(texts) if isinstance(texts, (list, tuple)) else [texts]


def _shown(texts: Any) -> Any:
    if isinstance(texts, Mapping):
        few = islice(texts.items(), _MOST)
        return {_cut(str(name)): _shown(inner) for name, inner in few}
    return [str(text) for text in _listed(texts)[:_MOST]]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
