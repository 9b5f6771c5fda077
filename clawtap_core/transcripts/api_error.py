"""Classifying the errors that a model's API returned to a CLI."""

from __future__ import annotations

import re
from collections.abc import Collection

_RATE_LIMITED = ("429", "rate limit")
_NOT_AUTHORIZED = ("401", "403", "api key")
_WORD = r"(?<![0-9a-z]){}(?![0-9])"


def error_code(
    text: str, *, rate_limited: Collection[str] = (), not_authorized: Collection[str] = ()
) -> str:
    """Return the `code` of a `session_error`; the arguments add a CLI's own words."""
    lowered = text.lower()
    if _says(lowered, (*_RATE_LIMITED, *rate_limited)):
        return "rate_limited"
    if _says(lowered, (*_NOT_AUTHORIZED, *not_authorized)):
        return "not_authorized"
    return "api_error"


def _says(text: str, signs: Collection[str]) -> bool:
    # A status is a number of its own, not the digits of an id or of a count of tokens.
    return any(
        re.search(_WORD.format(sign), text) if sign.isdigit() else sign in text for sign in signs
    )
