"""Read and check a request's input."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from flask import Flask, Request, request
from webargs.flaskparser import FlaskParser

from clawtap_core.errors import BadRequest, ErrorCode, TooLarge
from clawtap_core.schemas import read_body

LIMIT = 1024 * 1024
# Deeper than any body of ours, and far from what breaks a recursive reader.
DEPTH = 32
# Longer numbers than any of ours; Python takes long to read them.
DIGITS = 400
# The query parameter that names a machine of the fleet.
MACHINE = "machine"


def install(app: Flask) -> None:
    """Check the query of every request."""
    app.before_request(_check_query)


def _check_query() -> None:
    try:
        request.query_string.decode()
    except UnicodeDecodeError:
        raise BadRequest(
            "the query is not UTF-8; write other bytes as %XX", code=ErrorCode.BAD_TEXT
        ) from None


class InputParser(FlaskParser):
    """Reads bodies and queries by our own rules for webargs."""

    DEFAULT_VALIDATION_STATUS = 400

    def parse(self, argmap: Any, req: Any = None, *, location: Any = None, **_: Any) -> Any:
        """Return the value of the request's body or query."""
        if location == "query":
            # Which machine is asked concerns every route, and is read with the transport.
            fields = {name: text for name, text in request.args.items() if name != MACHINE}
        else:
            fields = read_input(request)
        check_text(fields)
        return read_body(argmap, fields)


class FormInputParser(InputParser):
    """Also reads forms, for pages that work without scripts."""

    def parse(self, argmap: Any, req: Any = None, *, location: Any = None, **kwargs: Any) -> Any:
        """Return the value of the form or body; empty form fields count as absent."""
        if not is_form():
            return super().parse(argmap, req, location=location, **kwargs)
        fields = {name: text for name, text in request.form.items() if text and name != "next"}
        check_text(fields)
        return read_body(argmap, fields)


def is_form() -> bool:
    """Return whether the request is a form sent by a browser."""
    return request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data")


def read_input(request: Request, limit: int = LIMIT) -> dict[str, Any]:
    """Return the request's JSON object; an empty body counts as {}."""
    if (request.content_length or 0) > limit:
        raise _too_large(limit)
    data = request.get_data(cache=True)
    if len(data) > limit:  # a chunked body has no length
        raise _too_large(limit)
    if not data:
        return {}
    if not request.is_json:
        raise BadRequest(
            "the body must be JSON, sent as Content-Type: application/json", code=ErrorCode.NOT_JSON
        )
    body = _parse(data)
    if not isinstance(body, dict):
        raise BadRequest("the body must be a JSON object", code=ErrorCode.BAD_JSON)
    return body


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"the request body is larger than {limit // 1024} KB")


def _parse(data: bytes) -> Any:
    try:
        return json.loads(
            data.decode("utf-8"),
            parse_constant=_no_constant,
            parse_int=_whole_number,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"the body is not valid JSON: byte {error.start} is not UTF-8", code=ErrorCode.BAD_JSON
        ) from error
    except ValueError as error:
        raise BadRequest(f"the body is not valid JSON: {error}", code=ErrorCode.BAD_JSON) from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _whole_number(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number has more than {DIGITS} digits")
    return int(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        # Readers differ in which of them counts: one may see an approval, another a denial.
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"it names {json.dumps(twice)} twice")
    return fields


def check_text(root: Any) -> None:
    """Refuse text that cannot be stored or typed, and deep nesting."""
    level: list[Any] = [root]
    for _ in range(DEPTH):
        for value in level:
            if isinstance(value, str):
                _check_string(value)
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


def _check_string(text: str) -> None:
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
