"""Reading a request's input: whatever is wrong with it is a 400 that says what."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from flask import Request, request
from webargs.flaskparser import FlaskParser

from clawtap_core.errors import BadRequest, ErrorCode, TooLarge
from clawtap_core.schemas import read_body

LIMIT = 1024 * 1024
DEPTH = 32


class InputParser(FlaskParser):
    """Reads bodies and queries by our own rules; webargs only hands them to the views."""

    DEFAULT_VALIDATION_STATUS = 400

    def parse(self, argmap: Any, req: Any = None, *, location: Any = None, **_: Any) -> Any:
        """What the request's body or query stands for."""
        found = request.args.to_dict() if location == "query" else read_input(request)
        check_text(found)
        return read_body(argmap, found)


class FormInputParser(InputParser):
    """Reads a form too, for pages that work without scripts."""

    def parse(self, argmap: Any, req: Any = None, *, location: Any = None, **kwargs: Any) -> Any:
        """What the form or the body stands for; empty fields of a form are absent."""
        if not is_form():
            return super().parse(argmap, req, location=location, **kwargs)
        found = {name: text for name, text in request.form.items() if text and name != "next"}
        check_text(found)
        return read_body(argmap, found)


def is_form() -> bool:
    """Whether the request is a form that a browser sent by itself."""
    return request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data")


def read_input(request: Request, limit: int = LIMIT) -> dict[str, Any]:
    """The request's JSON object; nothing at all counts as an empty one."""
    if (request.content_length or 0) > limit:
        raise _too_large(limit)
    data = request.get_data(cache=True)
    if len(data) > limit:  # It came in chunks, without saying how many.
        raise _too_large(limit)
    if not data:
        return {}
    if not request.is_json:
        raise BadRequest(
            "the body must be JSON, sent as Content-Type: application/json", code=ErrorCode.NOT_JSON
        )
    found = _parse(data)
    if not isinstance(found, dict):
        raise BadRequest("the body must be a JSON object", code=ErrorCode.BAD_JSON)
    return found


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"the request body is larger than {limit // 1024} KB")


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise BadRequest(f"the body is not valid JSON: {error}", code=ErrorCode.BAD_JSON) from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def check_text(found: Any) -> None:
    """Refuse what could not be kept or typed: NUL, lone surrogates, bottomless nesting."""
    level: list[Any] = [found]
    for _ in range(DEPTH):
        for value in level:
            if isinstance(value, str):
                _check_one(value)
        level = [child for value in level for child in _children(value)]
        if not level:
            return
    raise _too_deep()


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _check_one(text: str) -> None:
    if "\x00" in text:
        raise BadRequest("the request contains a NUL character", code=ErrorCode.BAD_TEXT)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadRequest(
            "the request contains half a surrogate pair", code=ErrorCode.BAD_TEXT
        ) from None


def _too_deep() -> BadRequest:
    return BadRequest(f"the body is nested deeper than {DEPTH} levels", code=ErrorCode.TOO_DEEP)
