"""Replies without a value of the model."""

from __future__ import annotations

from marshmallow import Schema, fields

from clawtap_core.schemas.fields import Text


class ErrorSchema(Schema):
    """An error: a sentence, a code, and details where they help."""

    error = Text(required=True)
    code = Text(required=True)
    details = fields.Dict(keys=Text())


class HealthSchema(Schema):
    """The server is up."""

    ok = fields.Boolean(required=True)
    version = Text(required=True)
