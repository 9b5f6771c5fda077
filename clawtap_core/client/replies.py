"""Reading what a server replies: its JSON, or the error it tells."""

from __future__ import annotations

from typing import Any

import requests

from clawtap_core import errors

_CLASSES: dict[int, type[errors.ClawTapError]] = {
    kind.status: kind
    for kind in (
        errors.BadRequest,
        errors.Unauthorized,
        errors.Forbidden,
        errors.NotFound,
        errors.Conflict,
        errors.TooLarge,
        errors.Impossible,
        errors.TooManyRequests,
        errors.NotConfirmed,
        errors.Unavailable,
    )
}


def decoded(answer: requests.Response, action: str) -> Any:
    """The reply's JSON."""
    try:
        return answer.json()
    except ValueError as error:
        raise errors.Unavailable(
            f"{action} failed: {answer.url} is not a ClawTap server",
            code=errors.ErrorCode.NOT_CLAWTAP,
        ) from error


def refused(answer: requests.Response, action: str) -> errors.ClawTapError:
    """The server's own sentence and code, as the error they were."""
    kind = _CLASSES.get(answer.status_code, errors.ClawTapError)
    try:
        told = answer.json()
        return kind(str(told["error"]), code=str(told["code"]), details=told.get("details"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return kind(f"{action} failed: {answer.status_code} {answer.reason}")
    finally:
        answer.close()
