"""Wire forms whose fields follow from a dataclass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from dataclasses import fields as fields_of
from datetime import datetime
from enum import Enum
from functools import cache, cached_property, partial
from operator import attrgetter
from types import NoneType, new_class
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from marshmallow import fields, validate
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
    `once`: the value keeps its form, for all who ask for it.
    """

    hidden: ClassVar[frozenset[str]] = frozenset()
    flat: ClassVar[str | None] = None
    once: ClassVar[bool] = False

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the wire form of a value, or a list of `many`.

        Every event, reply and row of the journal comes from here, and marshmallow's own way, with
        its hooks, takes three times as long.
        """
        if self.many if many is None else many:
            return [self._dump_one(value) for value in obj]
        return self._dump_one(obj)

    def shown(self, value: Any) -> Any:
        """Return the value as it may be shown."""
        return value

    def _dump_one(self, value: Any) -> dict[str, Any]:
        if not self.once:
            return self._form(value)
        kept = vars(value)
        if "wire_form" not in kept:
            kept["wire_form"] = self._form(value)
        return dict(kept["wire_form"])

    def _form(self, value: Any) -> dict[str, Any]:
        value, form = self.shown(value), {}
        for key, read, write, sparse in self._columns:
            if (found := read(value)) is not None:
                written = write(found, key, value)
                if written or (written is not None and not sparse):
                    form[key] = written
        return form

    @cached_property
    def _columns(self) -> list[tuple[str, Callable[[Any], Any], Callable[..., Any], bool]]:
        """Return of each field its key, what reads it, what writes it, and if it is sparse."""
        return [
            (
                str(field.data_key),
                self._reader(field.attribute or name),
                field._serialize,
                field.data_key in self.sparse,
            )
            for name, field in self.dump_fields.items()
        ]

    def _reader(self, name: str) -> Callable[[Any], Any]:
        """Return what reads a field from the value, or from the flat value in it.

        A field that neither has is made of the whole value.
        """
        if _has(self.makes, name):
            return attrgetter(name)
        if self.flat and _has(_hints(self.makes)[self.flat], name):
            return attrgetter(f"{self.flat}.{name}")
        return lambda value: value

    def build(self, data: dict[str, Any]) -> Any:
        """Build the value, with the flat value in it."""
        if self.flat:
            kind = _hints(self.makes)[self.flat]
            names = data.keys() & {field.name for field in fields_of(kind)}
            data[self.flat] = kind(**{name: data.pop(name) for name in names})
        return self.makes(**data)


def _has(kind: type, name: str) -> bool:
    return hasattr(kind, name) or any(field.name == name for field in fields_of(kind))


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
