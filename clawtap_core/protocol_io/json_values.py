"""Reading the members of JSON objects whose form nobody guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text(value: Mapping[str, Any], name: str) -> str:
    """Return a text member, or an empty text."""
    member = value.get(name)
    return member if isinstance(member, str) else ""


def objects_in(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list member."""
    member = value.get(name)
    return [each for each in member if isinstance(each, dict)] if isinstance(member, list) else []
