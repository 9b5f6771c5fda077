"""Making data fit for JSON that anybody can read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def well_formed(text: str) -> str:
    """The text, with halves of surrogate pairs replaced."""
    if is_unicode(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_ready(value: Any) -> bool:
    """Whether the value is a JSON object as it is."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError):
        return False
    return isinstance(value, dict)


def ready(value: Any) -> Any:
    """The value with what JSON lacks replaced: tuples, odd keys and numbers, objects."""
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
