"""Dialogs that sell something: whatever they offer is no permission."""

from __future__ import annotations

import re

_SELLS = re.compile(
    r"\b(?:upgrade (?:your|to|for|plan)|(?:buy|purchase|add|get|use) (?:\w+ ){0,2}credits"
    r"|extra usage|usage credits|spend limit|billing|subscribe|subscription"
    r"|(?:buy|purchase) more)\b",
    re.IGNORECASE,
)


def sells(text: str) -> bool:
    """Return True if a CLI's own dialog offers something for money."""
    return _SELLS.search(text) is not None
