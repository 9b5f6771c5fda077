"""Convert values to wire forms and back."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, cast

from marshmallow import ValidationError

from clawtap_core.model import Prompt
from clawtap_core.schemas import replies
from clawtap_core.schemas.base import BodySchema, ValueSchema
from clawtap_core.schemas.derived import FORMS
from clawtap_core.schemas.error_details import refusal

T = TypeVar("T")


def dump(value: object) -> dict[str, Any]:
    """Return the wire form of a value, ready for JSON."""
    return _dumped(_form(type(value)), value)


def load(kind: type[T], data: object) -> T:
    """Return the value of a wire form; raise BadRequest if it is invalid."""
    return cast("T", _loaded(_form(kind), data))


def dump_kept(value: object) -> dict[str, Any]:
    """Return the journal's form of a value, with fields that are not on the wire."""
    return _dumped(_kept_form(type(value)), value)


def load_kept(kind: type[T], data: object) -> T:
    """Return the value of a journal's form."""
    return cast("T", _loaded(_kept_form(kind), data))


def read_body(form: type[BodySchema], data: object) -> Any:
    """Return the value of a request's body; raise BadRequest if it is invalid."""
    return _loaded(_instance(form), data)


def schema_of(kind: type) -> type[ValueSchema]:
    """Return the schema of a type, for the API description."""
    return FORMS[kind]


def _form(kind: type) -> ValueSchema:
    try:
        return _instance(FORMS[kind])
    except KeyError:
        raise TypeError(f"{kind.__name__} has no wire form") from None


def _kept_form(kind: type) -> ValueSchema:
    return _instance(replies.KeptPromptSchema) if kind is Prompt else _form(kind)


@cache
def _instance(form: type[ValueSchema]) -> ValueSchema:
    return form()


def _dumped(form: ValueSchema, value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", form.dump(value))


def _loaded(form: ValueSchema, data: object) -> Any:
    try:
        return form.load(cast("Any", data))
    except ValidationError as error:
        raise refusal(form, error) from None
