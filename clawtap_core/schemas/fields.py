"""Field types that marshmallow lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from marshmallow import ValidationError, fields, validate

from clawtap_core.model.moments import utc, wire_time
from clawtap_core.prompts.sanitize import strip_control_chars
from clawtap_core.schemas.text_checks import is_ready, is_unicode, ready, well_formed

_plain_json = json.JSONEncoder(ensure_ascii=False).encode
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_EITHER = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}


def camel(name: str) -> str:
    """Convert snake_case to camelCase."""
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


class Text(fields.String):
    """Text that can be encoded as UTF-8.

    CLIs cut strings within a surrogate pair: the remains are replaced when dumped, since they would
    break the stream for everybody, and refused when loaded.
    """

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else well_formed(str(value))

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if text is None or not is_unicode(text):
            raise ValidationError("Not a valid Unicode text.")
        return text


class TypedText(Text):
    """Text from a user that may reach a terminal: without control characters.

    Every line end becomes a newline, since a terminal takes a carriage return for Enter.
    """

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if _CONTROL.search(text):
            raise ValidationError("Control characters are not allowed.")
        return text


class MessageText(Text):
    """A user's message: control characters are left out, as everywhere where one is sent."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        return strip_control_chars(super()._deserialize(value, attr, data, **kwargs), tabs=True)


class Line(TypedText):
    """One line of typed text."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if "\n" in text:
            raise ValidationError("Must be one line.")
        return text


class Flag(fields.Boolean):
    """True or false of JSON; marshmallow would take "yes", "off" and 1, too."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Seconds(fields.Float):
    """A number of JSON; marshmallow would take "5", too."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> float:
        if isinstance(value, str):
            raise self.make_error("invalid", input=value)
        return float(super()._deserialize(value, attr, data, **kwargs))


class Instant(fields.AwareDateTime):
    """A moment in ISO 8601, UTC with Z; without a zone it is taken as UTC."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(format="iso", default_timezone=timezone.utc, **kwargs)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return wire_time(value) if value else None

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> datetime:
        moment = super()._deserialize(value, attr, data, **kwargs)
        try:
            return utc(moment)
        except OverflowError:
            raise self.make_error("invalid", input=value, obj_type="datetime") from None


class Json(fields.Dict):
    """Any JSON object, converted where it is not valid JSON."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        if value is None or is_ready(value):
            return value
        return ready(value)


class JsonText(fields.String):
    """A JSON object as a string; only dumped."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(dump_only=True, **kwargs)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else _plain_json(ready(value))


class Answers(fields.Dict):
    """Answers by question: a text, or a list of labels.

    A JSON list in a string stays a string, since only the question decides what it is.
    """

    def __init__(self, text: Text, **kwargs: Any) -> None:
        super().__init__(
            keys=Text(), values=fields.Raw(allow_none=True, metadata=_EITHER), **kwargs
        )
        self._text = text

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return ready(value)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, Any]:
        loaded = super()._deserialize(  # type: ignore[no-untyped-call, unused-ignore]
            value, attr, data, **kwargs
        )
        answers, errors = {}, {}
        for key, answer in loaded.items():
            try:
                answers[key] = self._answer(answer)
            except ValidationError as error:
                errors[key] = error.messages
        if errors:
            raise ValidationError(errors)
        return answers

    def _answer(self, answer: Any) -> Any:
        if isinstance(answer, str):
            return self._text.deserialize(answer)
        if isinstance(answer, list) and all(isinstance(label, str) for label in answer):
            return tuple(self._text.deserialize(label) for label in answer)
        raise ValidationError("Must be a text or a list of labels.")


def not_blank(text: str) -> None:
    """Refuse blank text."""
    if not text.strip():
        raise ValidationError("Must not be blank.")


def checks_of(*checks: Callable[[Any], Any]) -> list[Callable[[Any], Any]]:
    """Combine several checks of one field."""
    return list(checks)


ID = validate.Length(max=500)
# A cursor holds a place for each machine of a fleet.
CURSOR = validate.Length(max=16_000)
NAME = checks_of(validate.Length(max=200), not_blank)
