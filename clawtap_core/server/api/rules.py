"""Rules that answer permissions, and what they say to a prompt."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from clawtap_core.model import Explanation, Role, Rule, RuleBook, RuleTrial
from clawtap_core.schemas import (
    ExplanationSchema,
    RuleBookSchema,
    RulesBodySchema,
    RuleSchema,
    RuleTrialSchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("rules", __name__, "Rules that answer permissions")


class AddedRulesSchema(Schema):
    """The rules that were added."""

    rules = fields.List(fields.Nested(RuleSchema), required=True)


@blueprint.route("GET", "/rules", response=RuleBookSchema)
@requires(Role.WATCH)
def rules() -> RuleBook:
    """Return the rules, the guard rails, and why the file of rules cannot be read, if so."""
    return transport().rules()


@blueprint.route("POST", "/rules", body=RulesBodySchema, response=AddedRulesSchema, status=201)
def add(body: tuple[Rule, ...]) -> dict[str, Any]:
    """Add rules; they answer open prompts at once."""
    return {"rules": transport().add_rules(body)}


@blueprint.route("DELETE", "/rules/<name>", response=RuleSchema)
def remove(name: str) -> Rule:
    """Remove a rule and return it."""
    return transport().remove_rule(name)


@blueprint.route("POST", "/rules/try", body=RulesBodySchema, response=RuleTrialSchema)
def try_rules(body: tuple[Rule, ...]) -> RuleTrial:
    """Return what rules would have done to the permissions in the journal; none is added."""
    return transport().try_rules(body)


@blueprint.route("GET", "/prompts/<request_id>/rules", response=ExplanationSchema)
@requires(Role.WATCH)
def explain(request_id: str) -> Explanation:
    """Return why a prompt was asked, and the narrowest rule that would allow it."""
    return transport().explain(request_id)
