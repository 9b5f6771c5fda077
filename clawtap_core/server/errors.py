"""Turn every exception into `{"error", "code", "details"?}`."""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError, ErrorCode, TooManyRequests, Unauthorized

log = logging.getLogger(__name__)
_CODES = {
    400: (ErrorCode.BAD_REQUEST, "the request cannot be read: it is cut off, or no valid HTTP"),
    404: (ErrorCode.NO_SUCH_ROUTE, "no such route: {method} {path}"),
    405: (ErrorCode.METHOD_NOT_ALLOWED, "{path} does not accept {method}"),
    413: (ErrorCode.TOO_LARGE, "the request body is larger than 1 MB"),
}


def install(app: Flask) -> None:
    """Handle every exception."""
    app.register_error_handler(ClawTapError, _clawtap_error)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, _unexpected_error)


def body(error: ClawTapError) -> dict[str, Any]:
    """Return an error as the API's JSON."""
    fields: dict[str, Any] = {"error": error.message, "code": error.code}
    return {**fields, "details": error.details} if error.details else fields


def _clawtap_error(error: ClawTapError) -> Response:
    response = _json(error.status, body(error))
    if isinstance(error, Unauthorized):
        response.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests) and error.details:
        response.headers["Retry-After"] = str(error.details.get("retryAfter", 60))
    return response


def http_error(error: HTTPException) -> Response:
    """Return an error of the router as the API's JSON."""
    status = error.code or 500
    if status < 400:
        return error.get_response()
    default = ErrorCode.BAD_REQUEST if status < 500 else ErrorCode.INTERNAL_ERROR
    code, sentence = _CODES.get(status, (default, error.name.lower()))
    message = sentence.format(method=request.method, path=request.path)
    response = _json(status, {"error": message, "code": code})
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response


def _unexpected_error(error: Exception) -> Response:
    log.error("request failed: %s %s", request.method, request.path, exc_info=error)
    sentence = "something went wrong inside ClawTap; its log says what"
    return _json(500, {"error": sentence, "code": ErrorCode.INTERNAL_ERROR})


def _json(status: int, fields: dict[str, Any]) -> Response:
    response: Response = jsonify(fields)
    response.status_code = status
    return response
