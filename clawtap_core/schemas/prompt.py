"""The wire form of prompts and answers."""

from __future__ import annotations

from dataclasses import fields as names_of
from dataclasses import replace
from typing import Any, ClassVar

from marshmallow import fields, pre_dump

from clawtap_core.model import (
    Effect,
    Kind,
    Option,
    Position,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    Resolution,
    Response,
    TextInput,
)
from clawtap_core.prompts.validation import without_secrets
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.fields import Answers, Instant, Json, JsonText, Text

_FORM = frozenset(field.name for field in names_of(PromptForm))


class OptionSchema(ValueSchema):
    """One selectable row."""

    makes = Option
    value = Text(required=True)
    label = Text(required=True)
    effect = fields.Enum(Effect, by_value=Text())
    hint = Text()
    description = Text()


class TextInputSchema(ValueSchema):
    """Free text that the prompt takes."""

    makes = TextInput
    placeholder = Text()


class QuestionOptionSchema(ValueSchema):
    """One answer that a question offers."""

    makes = QuestionOption
    label = Text(required=True)
    description = Text()
    preview = Text()


class QuestionSchema(ValueSchema):
    """One question of a form."""

    makes = Question
    sparse = frozenset({"secret", "notes"})
    header = Text()
    question = Text(required=True)
    options = fields.List(fields.Nested(QuestionOptionSchema))
    multi_select = fields.Boolean()
    other = fields.Boolean()
    input_type = Text()
    required = fields.Boolean()
    secret = fields.Boolean()
    placeholder = Text()
    notes = fields.Boolean()


class PositionSchema(ValueSchema):
    """The position within several questions."""

    makes = Position
    index = fields.Integer(required=True, strict=True)
    total = fields.Integer(required=True, strict=True)


class ResponseSchema(ValueSchema):
    """A complete answer."""

    makes = Response
    sparse = frozenset({"answers", "notes"})
    request_id = Text(required=True)
    selected_option = Text()
    text_value = Text()
    answers = Answers(Text())
    reason = Text()
    decision = Text()
    notes = fields.Dict(keys=Text(), values=Text())


class ResolutionSchema(ValueSchema):
    """How a prompt ended."""

    makes = Resolution
    outcome = fields.Enum(PromptState, by_value=Text(), required=True)
    by = Text(required=True)
    device = Text(required=True)
    at = Instant(required=True)
    response = fields.Nested(ResponseSchema)
    detail = Text()


class PromptFormSchema(ValueSchema):
    """A question; `input` is `toolInput` as JSON text."""

    makes: ClassVar[type] = PromptForm
    sparse = frozenset({"truncated", "options", "moreOptions", "questions"})
    tool_call_id = Text()
    kind = fields.Enum(Kind, by_value=Text(), required=True, data_key="type")
    title = Text(required=True)
    description = Text()
    truncated = fields.Boolean()
    tool_name = Text()
    tool_input = Json()
    input = JsonText(attribute="tool_input")
    options = fields.List(fields.Nested(OptionSchema))
    more_options = fields.Boolean()
    text_input = fields.Nested(TextInputSchema)
    questions = fields.List(fields.Nested(QuestionSchema))
    selected = Text()
    screen = Text()
    origin = Text()
    position = fields.Nested(PositionSchema)


class PromptSchema(PromptFormSchema):
    """A prompt: its form, id and state in one flat object."""

    makes = Prompt
    request_id = Text(required=True)
    session_id = Text(required=True)
    channel = Text(required=True)
    created_at = Instant(required=True)
    expires_at = Instant()
    state = fields.Enum(PromptState, by_value=Text())
    resolution = fields.Nested(ResolutionSchema)

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Read a field from the prompt or from its form."""
        return getattr(obj.form if attr in _FORM else obj, attr, default)

    def build(self, data: dict[str, Any]) -> Prompt:
        """Build the prompt with its form."""
        form = {name: data.pop(name) for name in _FORM & data.keys()}
        return Prompt(form=PromptForm(**form), **data)

    @pre_dump
    def _redact(self, prompt: Prompt, **_: Any) -> Prompt:
        return redacted(prompt)


class AskedPromptSchema(PromptSchema):
    """A prompt for its asker, with the answers to its secret questions."""

    @pre_dump
    def _redact(self, prompt: Prompt, **_: Any) -> Prompt:
        return prompt


class KeptPromptSchema(PromptSchema):
    """A prompt for the journal, with fields that are not on the wire."""

    subject = Text()
    dialog = Text()
    dismiss = Text()
    top = fields.Integer(strict=True)
    takes_reason = fields.Boolean()


class AnsweredSchema(ValueSchema):
    """The reply to a delivered answer; dumped from the prompt."""

    makes = Prompt
    ok = fields.Constant(True, dump_only=True)
    request_id = Text()
    state = fields.Enum(PromptState, by_value=Text())
    resolution = fields.Nested(ResolutionSchema)

    @pre_dump
    def _redact(self, prompt: Prompt, **_: Any) -> Prompt:
        return redacted(prompt)


def redacted(prompt: Prompt) -> Prompt:
    """Return the prompt without answers to secret questions."""
    resolution = prompt.resolution
    if resolution is None or resolution.response is None:
        return prompt
    response = without_secrets(prompt.form, resolution.response)
    return replace(prompt, resolution=replace(resolution, response=response))
