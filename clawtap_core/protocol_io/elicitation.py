"""Forms of MCP servers (elicitation): a JSON schema as questions, answers as content.

The machine protocols of several CLIs pass such forms on unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.model import Answer, Effect, Option, Question, QuestionOption, Response
from clawtap_core.protocol_io.json_values import mapping, text

ACCEPT = Option("accept", "Accept", Effect.ALLOW_ONCE)
DECLINE = Option("decline", "Decline", Effect.DENY)
CANCEL = Option("cancel", "Cancel", Effect.DENY)
_TYPES = {"string": "text", "number": "number", "integer": "number", "boolean": "boolean"}
_FORMATS = ("email", "uri", "date")
_BOOLEAN = {"True": True, "False": False}


def questions_of(schema: Mapping[str, Any]) -> tuple[Question, ...]:
    """Return one question per field, in the schema's order."""
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    return tuple(_question(name, field, name in needed) for name, field in _fields(schema))


def options_of_form(questions: tuple[Question, ...]) -> tuple[Option, ...]:
    """Return decline and cancel, with accept if nothing is required."""
    empty = not any(question.required for question in questions)
    return (ACCEPT, DECLINE, CANCEL) if empty else (DECLINE, CANCEL)


def content_of(schema: Mapping[str, Any], response: Response) -> dict[str, Any] | None:
    """Return the answers by field, of the field's type, or None if one does not fit."""
    content: dict[str, Any] = {}
    for index, (name, field) in enumerate(_fields(schema)):
        answer = response.answers.get(str(index))
        if not answer:
            continue
        value = _value(field, answer)
        if value is None:
            return None
        content[name] = value
    return content


def _fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, field in mapping(schema.get("properties")).items():
        yield name, mapping(field)


def _question(name: str, field: Mapping[str, Any], required: bool) -> Question:
    title, about = text(field, "title") or name, text(field, "description")
    default = field.get("default")
    return Question(
        question=about or title,
        header=title if about else "",
        options=tuple(QuestionOption(label) for label in _choices(field)),
        multi_select=field.get("type") == "array",
        input_type=_input_type(field),
        required=required,
        placeholder=str(default) if isinstance(default, (str, int, float)) else None,
    )


def _input_type(field: Mapping[str, Any]) -> str | None:
    kind = field.get("type")
    if kind != "boolean" and _choices(field):
        return None
    if kind == "string" and field.get("format") in _FORMATS:
        return str(field["format"])
    return _TYPES.get(str(kind), "text")


def _choices(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a field offers, by label."""
    if field.get("type") == "boolean":
        return dict(_BOOLEAN)
    items = mapping(field.get("items")) or field
    for name in ("oneOf", "anyOf"):
        if isinstance(items.get(name), list):
            pairs = [mapping(pair) for pair in items[name]]
            return {text(p, "title") or str(p.get("const")): p.get("const") for p in pairs}
    values = items.get("enum")
    values = values if isinstance(values, list) else []
    names = items.get("enumNames")
    if not (isinstance(names, list) and len(names) == len(values)):
        names = values
    return {str(label): value for label, value in zip(names, values, strict=True)}


def _value(field: Mapping[str, Any], answer: Answer) -> Any:
    choices = _choices(field)
    labels = (answer,) if isinstance(answer, str) else answer
    if choices:
        if any(label not in choices for label in labels):
            return None
        values = [choices[label] for label in labels]
        return values if field.get("type") == "array" else values[0]
    text = "\n".join(labels)
    if field.get("type", "string") == "string":
        return text
    try:
        if field.get("type") == "integer":
            return int(text)
        number = float(text)
    except ValueError:
        return None
    # JSON has neither "nan" nor "inf".
    return number if math.isfinite(number) else None
