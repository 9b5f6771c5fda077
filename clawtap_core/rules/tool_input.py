"""A tool's input as rules keep it, without nulls, which TOML does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_core.errors import BadRequest, ErrorCode


def without_nulls(value: Any) -> Any:
    """Return a value of JSON without its empty fields; BadRequest for a list with one."""
    if isinstance(value, Mapping):
        return {str(key): without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        if None in value:
            raise BadRequest("a rule cannot keep a list with null in it", code=ErrorCode.BAD_RULE)
        return [without_nulls(item) for item in value]
    return value


def same_input(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Return whether two inputs are the same."""
    try:
        return bool(without_nulls(first) == without_nulls(second))
    except BadRequest:
        return False
