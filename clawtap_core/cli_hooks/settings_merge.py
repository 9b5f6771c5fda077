"""Settings with our hooks in them, and without: pure, over plain tables and lists.

What is ours in a list is known by the bridge's path in it, whatever version put it there.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from clawtap_core.errors import Conflict, ErrorCode


def merge(current: MutableMapping[str, Any], addition: Mapping[str, Any], at: str = "") -> None:
    """Put the addition into the settings. Conflict where something else stands in its place."""
    for key, ours in addition.items():
        theirs = current.get(key)
        if theirs is None and not isinstance(ours, (Mapping, list)):
            current[key] = ours
            continue
        if theirs is None:
            current[key] = {} if isinstance(ours, Mapping) else []
            # Read again: some formats keep what they are given as a value of their own.
            theirs = current[key]
        if isinstance(ours, Mapping) and isinstance(theirs, MutableMapping):
            merge(theirs, ours, f"{at}{key}.")
        elif isinstance(ours, list) and isinstance(theirs, list):
            theirs.extend(item for item in ours if item not in theirs)
        elif isinstance(ours, (Mapping, list)) or isinstance(theirs, (Mapping, list)):
            raise Conflict(
                f"the setting {at}{key} holds something else already; "
                "change it by hand, then install the hooks again",
                code=ErrorCode.SETTINGS_CONFLICT,
            )
        else:
            current[key] = ours


def take_out(
    current: MutableMapping[str, Any],
    addition: Mapping[str, Any],
    before: Mapping[str, Any],
    mark: str,
) -> None:
    """Take the addition out again; `before` is how the settings were without it."""
    for key, ours in addition.items():
        if key not in current:
            continue
        theirs = current[key]
        known = before.get(key)
        if isinstance(ours, Mapping) and isinstance(theirs, MutableMapping):
            take_out(theirs, ours, known if isinstance(known, Mapping) else {}, mark)
        elif isinstance(ours, list) and isinstance(theirs, list):
            for at in range(len(theirs) - 1, -1, -1):
                if holds(theirs[at], mark) or (theirs[at] in ours and not _in(known, theirs[at])):
                    del theirs[at]
        elif theirs == ours and known is not None:
            current[key] = known
        elif theirs == ours:
            del current[key]
            continue
        if not theirs and isinstance(theirs, (Mapping, list)) and known is None:
            del current[key]


def strip(current: Any, mark: str) -> None:
    """Take out of every list what carries the mark: what another version of ours put there."""
    if isinstance(current, MutableMapping):
        for key in list(current):
            empty = isinstance(current[key], list) and not current[key]
            strip(current[key], mark)
            if isinstance(current[key], list) and not current[key] and not empty:
                del current[key]
    elif isinstance(current, list):
        for at in range(len(current) - 1, -1, -1):
            if holds(current[at], mark):
                del current[at]


def holds(value: Any, mark: str) -> bool:
    """Whether the mark stands in a text somewhere in this value."""
    if isinstance(value, str):
        return mark in value
    if isinstance(value, Mapping):
        return any(holds(each, mark) for each in value.values())
    return isinstance(value, list) and any(holds(each, mark) for each in value)


def _in(known: Any, item: Any) -> bool:
    return isinstance(known, list) and item in known
