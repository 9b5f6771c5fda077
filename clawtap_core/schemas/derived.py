"""Wire forms whose fields follow from a dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from dataclasses import fields as fields_of
from datetime import datetime
from enum import Enum
from functools import cache, partial
from types import NoneType, new_class
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from marshmallow import fields, missing, validate
from marshmallow.schema import SchemaMeta

from clawtap_core.model import Answer
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.fields import Answers, Instant, Json, Text

_BY_TYPE: dict[Any, Any] = {
    str: Text,
    bool: fields.Boolean,
    float: fields.Float,
    int: partial(fields.Integer, strict=True),
    datetime: Instant,
    Mapping[str, Any]: Json,
    Mapping[str, str]: partial(fields.Dict, keys=Text(), values=Text()),
    Mapping[str, Answer]: partial(Answers, Text()),
}
# The wire form of each value of the model, as `replies` defines them.
FORMS: dict[type, type[ValueSchema]] = {}
_hints = cache(get_type_hints)


class _DerivedMeta(SchemaMeta):
    """Adds the fields of `makes` that the class itself does not declare."""

    @classmethod
    def get_declared_fields(cls, klass: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the fields of the class, then those of the dataclass."""
        declared = super().get_declared_fields(klass, *args, **kwargs)
        if "makes" not in vars(klass):
            return declared
        hints = _hints(klass.makes)
        derived = {
            field.name: wire_field(
                hints[field.name],
                required=field.default is MISSING and field.default_factory is MISSING,
            )
            for field in fields_of(klass.makes)
            if field.name not in {*klass.hidden, klass.flat, *declared}
        }
        return {**declared, **derived}


class DerivedSchema(ValueSchema, metaclass=_DerivedMeta):
    """The wire form of the dataclass `makes`, without its `hidden` fields.

    The fields of the value in the field `flat` join the others; its form is the base class.
    """

    hidden: ClassVar[frozenset[str]] = frozenset()
    flat: ClassVar[str | None] = None

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Read a field from the value, or from the flat value in it; None needs no conversion."""
        value = getattr(obj, attr, default)
        if value is default and self.flat:
            value = getattr(getattr(obj, self.flat), attr, default)
        return missing if value is None else value

    def build(self, data: dict[str, Any]) -> Any:
        """Build the value, with the flat value in it."""
        if self.flat:
            kind = _hints(self.makes)[self.flat]
            names = data.keys() & {field.name for field in fields_of(kind)}
            data[self.flat] = kind(**{name: data.pop(name) for name in names})
        return self.makes(**data)


def derived(kind: type, **attributes: Any) -> type[DerivedSchema]:
    """Return the wire form of a dataclass that needs no class of its own."""
    members = {"makes": kind, "__module__": __name__, "__doc__": kind.__doc__, **attributes}
    return new_class(
        f"{kind.__name__}Schema", (DerivedSchema,), exec_body=lambda ns: ns.update(members)
    )


def wire_field(hint: Any, **options: Any) -> fields.Field[Any]:
    """Return the wire form of a dataclass's field by its type."""
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        if Ellipsis not in arguments:
            options["validate"] = validate.Length(equal=len(arguments))
        return fields.List(wire_field(arguments[0]), **options)
    if NoneType in arguments:
        (hint,) = (argument for argument in arguments if argument is not NoneType)
        return wire_field(hint, **options)
    if hint in _BY_TYPE:
        field: fields.Field[Any] = _BY_TYPE[hint](**options)
        return field
    if issubclass(hint, Enum):
        return fields.Enum(hint, by_value=Text(), **options)

    # Looked up when it is used, since the form may be defined later.
    return fields.Nested(lambda: FORMS[hint](), **options)
