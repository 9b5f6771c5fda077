"""Replies that stand for no value of their own."""

from __future__ import annotations

from marshmallow import Schema, fields

from clawtap_core.schemas.fields import Text


class ErrorSchema(Schema):
    """What went wrong: a sentence, a code, and where it helps the details."""

    error = Text(required=True)
    code = Text(required=True)
    details = fields.Dict(keys=Text())


class HealthSchema(Schema):
    """The server is up."""

    ok = fields.Boolean(required=True)
    version = Text(required=True)
