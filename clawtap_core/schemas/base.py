"""Shared by all wire forms: camelCase, absent fields left out, values from what is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import EXCLUDE, RAISE, Schema, fields, post_dump, post_load, pre_load

from clawtap_core.schemas.fields import camel


class ValueSchema(Schema):
    """The wire form of one dataclass.

    None is left out, and so is an empty field of `sparse`; null is the same as absent. Unknown
    fields are ignored, so that a client reads the replies of a newer server.
    """

    makes: ClassVar[type]
    sparse: ClassVar[frozenset[str]] = frozenset()

    class Meta:
        """Options of marshmallow."""

        unknown = EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Name the field in camelCase, unless it has its own name."""
        if field_obj.data_key is None:
            field_obj.data_key = camel(field_name)

    def build(self, data: dict[str, Any]) -> Any:
        """Build the value from its fields."""
        return self.makes(**data)

    @post_dump
    def _trim(self, data: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        return {
            key: value
            for key, value in data.items()
            if value is not None and (value or key not in self.sparse)
        }

    @pre_load
    def _without_nulls(self, data: Any, **_: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return {key: value for key, value in data.items() if value is not None}

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> Any:
        frozen = (tuple(value) if isinstance(value, list) else value for value in data.values())
        return self.build(dict(zip(data, frozen, strict=True)))


class BodySchema(ValueSchema):
    """The body of a request: unknown fields are refused.

    `sentence` is the error if one of the fields of `needs` is missing.
    """

    sentence: ClassVar[str | None] = None
    needs: ClassVar[frozenset[str]] = frozenset()

    class Meta:
        """Options of marshmallow."""

        unknown = RAISE
