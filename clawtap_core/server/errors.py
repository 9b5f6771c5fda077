"""Every failure becomes `{"error", "code", "details"?}`: one shape, one place."""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError, ErrorCode, TooManyRequests, Unauthorized

log = logging.getLogger(__name__)
_CODES = {
    404: (ErrorCode.NO_SUCH_ROUTE, "no such route: {method} {path}"),
    405: (ErrorCode.METHOD_NOT_ALLOWED, "{path} does not accept {method}"),
    413: (ErrorCode.TOO_LARGE, "the request body is larger than 1 MB"),
}


def install(app: Flask) -> None:
    """Answer every exception in our form."""
    app.register_error_handler(ClawTapError, _explained)
    app.register_error_handler(HTTPException, _of_http)
    app.register_error_handler(Exception, _unexpected)


def body(error: ClawTapError) -> dict[str, Any]:
    """An error as the API tells it."""
    told: dict[str, Any] = {"error": error.message, "code": error.code}
    return {**told, "details": error.details} if error.details else told


def _explained(error: ClawTapError) -> Response:
    response = _answer(error.status, body(error))
    if isinstance(error, Unauthorized):
        response.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests) and error.details:
        response.headers["Retry-After"] = str(error.details.get("retryAfter", 60))
    return response


def _of_http(error: HTTPException) -> Response:
    status = error.code or 500
    if status < 400:
        return error.get_response()
    default = ErrorCode.BAD_REQUEST if status < 500 else ErrorCode.INTERNAL_ERROR
    code, sentence = _CODES.get(status, (default, error.name.lower()))
    told = sentence.format(method=request.method, path=request.path)
    response = _answer(status, {"error": told, "code": code})
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response


def _unexpected(error: Exception) -> Response:
    log.error("request failed: %s %s", request.method, request.path, exc_info=error)
    sentence = "something went wrong inside ClawTap; its log says what"
    return _answer(500, {"error": sentence, "code": ErrorCode.INTERNAL_ERROR})


def _answer(status: int, told: dict[str, Any]) -> Response:
    response: Response = jsonify(told)
    response.status_code = status
    return response
