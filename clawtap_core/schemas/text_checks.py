"""Make data fit for JSON that everybody can read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_sound_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def is_unicode(text: str) -> bool:
    """Return True if the text can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def well_formed(text: str) -> str:
    """Return the text with halves of surrogate pairs replaced."""
    if text.isascii() or is_unicode(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_ready(value: Any) -> bool:
    """Return True if the value is a valid JSON object."""
    try:
        _sound_json(value).encode()
    except (TypeError, ValueError):
        return False
    return isinstance(value, dict)


def ready(value: Any) -> Any:
    """Replace what JSON lacks: tuples, odd keys and numbers, objects."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, Mapping):
        return {well_formed(str(key)): ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [ready(item) for item in value]
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return well_formed(str(value))
