"""Errors a user can meet: one root, one code and one HTTP status each.

ClawTapError
├── BadRequest 400      malformed or incomplete input
├── Unauthorized 401
├── Forbidden 403
├── NotFound 404
├── Conflict 409        already answered, prompt or screen changed
├── TooLarge 413
├── Impossible 422      this adapter or CLI cannot do it
├── TooManyRequests 429
├── NotConfirmed 502    a key was sent and its outcome was not seen
├── Unavailable 503     tmux missing or too old, CLI not reachable
└── UsageError          wrong settings or flags; the command line exits with 2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ClawTapError(Exception):
    """A failure that is explained to the user: a sentence, a code, a status, details."""

    status: ClassVar[int] = 500
    default_code: ClassVar[str] = "internal_error"

    def __init__(
        self, message: str, *, code: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.details = dict(details) if details else None


class BadRequest(ClawTapError):
    """The input is malformed or incomplete."""

    status = 400
    default_code = "bad_request"


class Unauthorized(ClawTapError):
    """No token, or one that is not known."""

    status = 401
    default_code = "unauthorized"


class Forbidden(ClawTapError):
    """The request comes from a host or origin that is not allowed."""

    status = 403
    default_code = "forbidden"


class NotFound(ClawTapError):
    """No such session, prompt, pane or message."""

    status = 404
    default_code = "not_found"


class Conflict(ClawTapError):
    """Something happened first: another answer, a changed prompt, a changed screen."""

    status = 409
    default_code = "conflict"


class TooLarge(ClawTapError):
    """The request body is larger than is accepted."""

    status = 413
    default_code = "too_large"


class Impossible(ClawTapError):
    """Well formed, but this adapter or CLI cannot do it."""

    status = 422
    default_code = "impossible"


class TooManyRequests(ClawTapError):
    """Tried too often in too short a time."""

    status = 429
    default_code = "too_many_requests"


class NotConfirmed(ClawTapError):
    """A deciding key was sent, or possibly sent, and what came of it was not seen in time."""

    status = 502
    default_code = "not_confirmed"


class Unavailable(ClawTapError):
    """Something that ClawTap stands on is missing: tmux, its server, the data folder."""

    status = 503
    default_code = "unavailable"


class UsageError(ClawTapError):
    """Settings or flags that make no sense; said once at the start."""

    status = 400
    default_code = "usage"


def attachment_too_large(limit: int) -> TooLarge:
    """Return the error for a file above `limit` bytes."""
    return TooLarge(
        f"a file may have {limit // 1024 // 1024} MB at most", code="attachment_too_large"
    )
