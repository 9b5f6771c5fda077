"""What every resource's blueprint shares."""

from __future__ import annotations

from typing import Any, ClassVar

from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, fields

from clawtap_core.server.body import InputParser

OK: dict[str, Any] = {"ok": True}


class Blueprint(SmorestBlueprint):  # type: ignore[misc]
    """A blueprint whose input errors are 400, in our form."""

    ARGUMENTS_PARSER: ClassVar[InputParser] = InputParser()

    def __init__(self, name: str, module: str, description: str, prefix: str = "/api") -> None:
        super().__init__(name, module, url_prefix=prefix, description=description)


class OkSchema(Schema):
    """It was done."""

    ok = fields.Boolean(required=True)
