"""Bodies of requests that answer a prompt, all but the last read as a Response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, validate, validates_schema

from clawtap_core.model import Response
from clawtap_core.schemas.base import BodySchema
from clawtap_core.schemas.error_details import MISSING
from clawtap_core.schemas.fields import ID, Answers, Text, TypedText

MOST_TOGETHER = 50
_DECISIONS = validate.OneOf(("approve", "allow", "deny"))


class PromptBodySchema(BodySchema):
    """A body that names a prompt; `requestId` and `toolCallId` each take either id."""

    makes: ClassVar[type] = Response
    sentence = "requestId or toolCallId is required"
    needs = frozenset({"requestId"})
    request_id = Text(validate=ID)
    tool_call_id = Text(validate=ID)

    @validates_schema(skip_on_field_errors=False, pass_original=True)
    def _named(self, data: Mapping[str, Any], original: Any, **_: Any) -> None:
        # An id that is not valid is missing in `data`, and has its own error.
        ids = original if isinstance(original, Mapping) else {}
        if all(ids.get(name) in (None, "") for name in ("requestId", "toolCallId")):
            raise ValidationError(MISSING, "requestId")

    def build(self, data: dict[str, Any]) -> Any:
        """Build a response under either id."""
        call = data.pop("tool_call_id", None)
        return Response(**{**data, "request_id": data.get("request_id") or call})


class ApproveBodySchema(PromptBodySchema):
    """Approve a prompt, with `option` or the one that allows once; or deny it."""

    decision = fields.String(validate=_DECISIONS)
    option = TypedText()
    reason = TypedText()

    def build(self, data: dict[str, Any]) -> Response:
        """Build the response; without an option and a decision it approves."""
        option, decision = data.pop("option", None), data.pop("decision", None)
        if decision == "allow" or (decision is None and option is None):
            decision = "approve"
        chosen = {"selected_option": option, "decision": decision}
        response: Response = super().build({**data, **chosen})
        return response


class DenyBodySchema(PromptBodySchema):
    """Deny a prompt."""

    reason = TypedText()

    def build(self, data: dict[str, Any]) -> Response:
        """Build the response."""
        response: Response = super().build({**data, "decision": "deny"})
        return response


class AnswersBodySchema(PromptBodySchema):
    """Answer the questions of a prompt, keyed "0", "1", … by question."""

    sentence = "toolCallId and answers are required"
    needs = frozenset({"requestId", "answers"})
    answers = Answers(TypedText(), required=True)
    notes = fields.Dict(keys=Text(), values=TypedText())


class RespondBodySchema(PromptBodySchema):
    """A complete response, to a prompt of any kind."""

    selected_option = TypedText()
    text_value = TypedText()
    answers = Answers(TypedText())
    reason = TypedText()
    decision = fields.String(validate=_DECISIONS)
    notes = fields.Dict(keys=Text(), values=TypedText())

    def build(self, data: dict[str, Any]) -> Response:
        """Build the response."""
        if data.get("decision") == "allow":
            data["decision"] = "approve"
        response: Response = super().build(data)
        return response


class BatchBodySchema(BodySchema):
    """One decision for several prompts of one tool."""

    makes = dict
    sentence = "requestIds and decision are required"
    request_ids = fields.List(
        Text(validate=ID), required=True, validate=validate.Length(min=1, max=MOST_TOGETHER)
    )
    decision = fields.String(required=True, validate=_DECISIONS)
    reason = TypedText()
    seen = fields.List(Text(validate=ID), validate=validate.Length(max=MOST_TOGETHER))


class ExpandBodySchema(PromptBodySchema):
    """Show the options that a scrolling list hides."""

    def build(self, data: dict[str, Any]) -> str:
        """Return the prompt's id."""
        return data.get("request_id") or str(data["tool_call_id"])
