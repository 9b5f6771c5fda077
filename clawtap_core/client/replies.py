"""Read a server's replies: JSON or errors."""

from __future__ import annotations

from typing import Any

import requests

from clawtap_core import errors


def decode(answer: requests.Response, action: str) -> Any:
    """Return the reply's JSON."""
    try:
        return answer.json()
    except ValueError as error:
        raise _not_clawtap(answer, action) from error


def decode_list(answer: requests.Response, action: str) -> list[Any]:
    """Return the reply's JSON, which is a list."""
    reply = decode(answer, action)
    if not isinstance(reply, list):
        raise _not_clawtap(answer, action)
    return reply


def error_of(answer: requests.Response, action: str) -> errors.ClawTapError:
    """Return a failed reply as the error that the server raised."""
    kind = errors.error_class(answer.status_code)
    try:
        body = answer.json()
        return kind(str(body["error"]), code=str(body["code"]), details=body.get("details"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return kind(f"{action} failed: {answer.status_code} {answer.reason}")
    finally:
        answer.close()


def _not_clawtap(answer: requests.Response, action: str) -> errors.Unavailable:
    return errors.Unavailable(
        f"{action} failed: {answer.url} is not a ClawTap server",
        code=errors.ErrorCode.NOT_CLAWTAP,
    )
