"""Merge hooks into settings and remove them: pure functions over tables and lists.

Our entries in a list are recognised by the bridge's path, whichever version added them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from clawtap_core.errors import Conflict, ErrorCode


def merge(current: MutableMapping[str, Any], addition: Mapping[str, Any], at: str = "") -> None:
    """Merge the addition into the settings; raise Conflict where a value is in the way."""
    for key, ours in addition.items():
        theirs = current.get(key)
        if theirs is None and not isinstance(ours, (Mapping, list)):
            current[key] = ours
            continue
        if theirs is None:
            current[key] = {} if isinstance(ours, Mapping) else []
            # Some formats store a copy, so read it back.
            theirs = current[key]
        if isinstance(ours, Mapping) and isinstance(theirs, MutableMapping):
            merge(theirs, ours, f"{at}{key}.")
        elif isinstance(ours, list) and isinstance(theirs, list):
            theirs.extend(item for item in ours if item not in theirs)
        elif isinstance(ours, (Mapping, list)) or isinstance(theirs, (Mapping, list)):
            raise Conflict(
                f"{at}{key} holds something else already; "
                "change it by hand, then install the hooks again",
                code=ErrorCode.SETTINGS_CONFLICT,
            )
        else:
            current[key] = ours


def unmerge(
    current: MutableMapping[str, Any],
    addition: Mapping[str, Any],
    before: Mapping[str, Any],
    mark: str,
) -> None:
    """Remove the addition; `before` holds the settings without it."""
    for key, ours in addition.items():
        if key not in current:
            continue
        theirs = current[key]
        previous = before.get(key)
        if isinstance(ours, Mapping) and isinstance(theirs, MutableMapping):
            unmerge(theirs, ours, previous if isinstance(previous, Mapping) else {}, mark)
        elif isinstance(ours, list) and isinstance(theirs, list):
            for at in range(len(theirs) - 1, -1, -1):
                stood_before = isinstance(previous, list) and theirs[at] in previous
                if contains(theirs[at], mark) or (theirs[at] in ours and not stood_before):
                    del theirs[at]
        elif theirs == ours and previous is not None:
            current[key] = previous
        elif theirs == ours:
            del current[key]
            continue
        if not theirs and isinstance(theirs, (Mapping, list)) and previous is None:
            del current[key]


def strip(current: Any, mark: str) -> None:
    """Remove marked list items, which another version of ours may have added."""
    if isinstance(current, MutableMapping):
        for key in list(current):
            empty = isinstance(current[key], list) and not current[key]
            strip(current[key], mark)
            if isinstance(current[key], list) and not current[key] and not empty:
                del current[key]
    elif isinstance(current, list):
        for at in range(len(current) - 1, -1, -1):
            if contains(current[at], mark):
                del current[at]


def contains(value: Any, mark: str) -> bool:
    """Return whether any text in this value contains the mark."""
    return any(mark in text for text in texts(value))


def texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value, at every depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
