"""The kinds of field that marshmallow does not bring."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from marshmallow import ValidationError, fields, validate

from clawtap_core.schemas.text_checks import is_ready, is_unicode, ready, well_formed

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_EITHER = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}


def camel(name: str) -> str:
    """snake_case as camelCase."""
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


class Text(fields.String):
    """Text that can be written as UTF-8.

    CLIs cut strings in the middle of a surrogate pair: what is left of it is replaced when it is
    dumped, since it would break the stream for everybody, and refused when it is loaded.
    """

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else well_formed(str(value))

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if text is None or not is_unicode(text):
            raise ValidationError("Not a valid Unicode text.")
        return text


class TypedText(Text):
    """Text that a user gives and that may reach a terminal: without control characters.

    Every line end becomes a newline, since a terminal takes a carriage return for Enter.
    """

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if _CONTROL.search(text):
            raise ValidationError("Control characters are not allowed.")
        return text


class Line(TypedText):
    """One line of such text."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if "\n" in text:
            raise ValidationError("Must be one line.")
        return text


class Instant(fields.AwareDateTime):
    """A moment: ISO 8601 in UTC, with Z. A moment without a zone is taken as UTC."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(format="iso", default_timezone=timezone.utc, **kwargs)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        if value is None:
            return None
        return _utc(value).isoformat().replace("+00:00", "Z")

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> datetime:
        moment = super()._deserialize(value, attr, data, **kwargs)
        try:
            return _utc(moment)
        except OverflowError:
            raise self.make_error("invalid", input=value, obj_type="datetime") from None


class Json(fields.Dict):
    """A JSON object that is nobody's business here, made fit for JSON where it is not."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        if value is None or is_ready(value):
            return value
        return ready(value)


class JsonText(fields.String):
    """A JSON object as a string; only dumped."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(dump_only=True, **kwargs)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else json.dumps(ready(value), ensure_ascii=False)


class Answers(fields.Dict):
    """What is answered, by question: a text, or a list of labels.

    A list that comes as JSON in a string stays a string: whether it is a list or a text that
    looks like one is known by the question only.
    """

    def __init__(self, text: Text, **kwargs: Any) -> None:
        super().__init__(
            keys=Text(), values=fields.Raw(allow_none=True, metadata=_EITHER), **kwargs
        )
        self._text = text

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return ready(value)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, Any]:
        found = super()._deserialize(  # type: ignore[no-untyped-call, unused-ignore]
            value, attr, data, **kwargs
        )
        answers, errors = {}, {}
        for key, answer in found.items():
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
    """Refuse a text of blanks only."""
    if not text.strip():
        raise ValidationError("Must not be blank.")


def each(*checks: Callable[[Any], Any]) -> list[Callable[[Any], Any]]:
    """Several checks of one field."""
    return list(checks)


ID = validate.Length(max=500)
NAME = each(validate.Length(max=200), not_blank)


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc)
