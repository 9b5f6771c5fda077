"""Bodies of programs that ask: a prompt's form, and how long it waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from marshmallow import fields, pre_load, validate

from clawtap_core.model import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    TextInput,
)
from clawtap_core.schemas.base import BodySchema
from clawtap_core.schemas.fields import ID, Flag, Json, Line, Seconds, Text, not_blank
from clawtap_core.schemas.requests import Ask, More
from clawtap_core.screens import slugs

_TIMEOUT = validate.Range(0, 1e9)
_KINDS = tuple(kind.value for kind in Kind if kind is not Kind.UNKNOWN)
_WAIT = 3600


class _Labelled(BodySchema):
    """An option; a plain text is its label."""

    @pre_load
    def _only_a_label(self, data: Any, **_: Any) -> Any:
        return {"label": data} if isinstance(data, str) else data


class AskedOptionSchema(_Labelled):
    """One selectable row; `value` defaults to a slug of the label."""

    makes = Option
    value = Line(validate=ID)
    label = Line(required=True)
    effect = fields.Enum(Effect, by_value=Text())
    hint = Line()
    description = Text()

    def build(self, data: dict[str, Any]) -> Option:
        """Build the option; the form fills in a missing value."""
        return Option(**{"value": "", **data})


class AskedTextInputSchema(BodySchema):
    """Free text that the prompt takes; may be `true`."""

    makes = TextInput
    placeholder = Line()

    @pre_load
    def _only_true(self, data: Any, **_: Any) -> Any:
        return {} if data is True else data


class AskedQuestionOptionSchema(_Labelled):
    """One answer that a question offers."""

    makes = QuestionOption
    label = Line(required=True)
    description = Text()
    preview = Text()


class AskedQuestionSchema(BodySchema):
    """One question of a form; a plain text is a question that takes a text."""

    makes = Question
    header = Line()
    question = Text(required=True, validate=not_blank)
    options = fields.List(fields.Nested(AskedQuestionOptionSchema))
    multi_select = Flag()
    other = Flag()
    input_type = Line()
    required = Flag()
    secret = Flag()
    placeholder = Line()
    notes = Flag()

    @pre_load
    def _only_a_question(self, data: Any, **_: Any) -> Any:
        return {"question": data} if isinstance(data, str) else data


class AskBodySchema(BodySchema):
    """What a program asks, read as an Ask.

    Without `type` it is a question if it has questions, takes a text, or has options none of which
    allows or refuses; otherwise a permission.
    """

    makes: ClassVar[type] = Ask
    kind = fields.String(data_key="type", validate=validate.OneOf(_KINDS))
    title = Line(required=True, validate=not_blank)
    description = Text()
    truncated = Flag()
    tool_name = Line(validate=ID)
    tool_input = Json()
    tool_call_id = Line(validate=ID)
    options = fields.List(fields.Nested(AskedOptionSchema))
    text_input = fields.Nested(AskedTextInputSchema)
    questions = fields.List(fields.Nested(AskedQuestionSchema))
    origin = Line(validate=ID)
    asker = Line(data_key="from", validate=not_blank)
    seconds = Seconds(data_key="timeout", validate=_TIMEOUT)
    default = Text(validate=not_blank)

    @pre_load
    def _no_false_text(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and data.get("textInput") is False:
            return {key: value for key, value in data.items() if key != "textInput"}
        return data

    def build(self, data: dict[str, Any]) -> Ask:
        """Build the form with its other settings."""
        others = {name: data.pop(name, None) for name in ("asker", "seconds", "default")}
        options = data.pop("options", ())
        names = slugs(option.label for option in options)
        options = tuple(
            option if option.value else replace(option, value=name)
            for option, name in zip(options, names, strict=True)
        )
        kind = Kind(data.pop("kind")) if "kind" in data else _kind(data, options)
        return Ask(PromptForm(kind, options=options, **data), **others)


class ExtendBodySchema(BodySchema):
    """More time: `seconds` from now (0: wait indefinitely), by default the usual time."""

    makes = More
    seconds = Seconds(validate=_TIMEOUT)


class WaitQuerySchema(BodySchema):
    """The query with how long to wait for the answer."""

    makes: ClassVar[type] = float
    wait = fields.Float(
        validate=validate.Range(0, _WAIT),
        metadata={"description": "seconds to wait for the prompt's end"},
    )

    def build(self, data: dict[str, Any]) -> float | None:
        """Return the seconds, or None not to wait."""
        return data.get("wait")


def _kind(data: Mapping[str, Any], options: tuple[Option, ...]) -> Kind:
    decides = any(option.effect is not Effect.OTHER for option in options)
    asks = data.get("questions") or "text_input" in data or options
    return Kind.QUESTION if asks and not decides else Kind.PERMISSION
