"""Rules and guard rails as people write them, in rules.toml and over REST."""

from __future__ import annotations

from typing import ClassVar

from marshmallow import fields, validate

from clawtap_core.model import GuardRail, Rule, RuleDecision
from clawtap_core.schemas.base import BodySchema
from clawtap_core.schemas.fields import NAME, Instant, Json, Line, Text, TypedText, not_blank

_MOST = validate.Length(max=100)


def _lines() -> fields.List[str]:
    return fields.List(Line(validate=not_blank), validate=_MOST)


class RuleBodySchema(BodySchema):
    """A rule; what is left out matches everything. `expires` is required for allow."""

    makes: ClassVar[type] = Rule
    name = Line(required=True, validate=NAME)
    decision = fields.Enum(RuleDecision, by_value=Text(), required=True)
    adapter = Line(validate=NAME)
    folder = Line(validate=validate.Length(1, 4096))
    tool = Line(validate=NAME)
    server = Line(validate=NAME)
    commands = fields.List(TypedText(validate=not_blank), validate=_MOST)
    files = _lines()
    input = Json()
    reason = TypedText(validate=validate.Length(max=2000))
    owner = Line(validate=NAME)
    created = Instant()
    expires = Instant()


class RulesBodySchema(BodySchema):
    """Several rules."""

    makes: ClassVar[type] = tuple
    rules = fields.List(
        fields.Nested(RuleBodySchema), required=True, validate=validate.Length(1, 100)
    )

    def build(self, data: dict[str, object]) -> object:
        """Return the rules."""
        return data["rules"]


class GuardBodySchema(BodySchema):
    """A guard rail of the user's own."""

    makes: ClassVar[type] = GuardRail
    name = Line(required=True, validate=NAME)
    why = Line(required=True, validate=validate.Length(1, 300))
    programs = _lines()
    words = _lines()
    arguments = _lines()
    paths = _lines()
    risks = _lines()
