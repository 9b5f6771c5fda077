"""Tool calls as ACP reports them: reading their members, texts and diffs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clawtap_core.model.line_diff import unified_diff
from clawtap_core.protocol_io.json_values import mapping, objects_in, text

Payload = Mapping[str, Any]
_RESULTS = ("message", "error", "output", "content")


def merged(earlier: Payload | None, update: Payload) -> Payload:
    """Complete an update of a call: it leaves out what did not change."""
    return {**(earlier or {}), **{k: v for k, v in update.items() if v not in (None, [], "", {})}}


def body_of(call: Payload) -> str:
    """Return the texts and diffs of a call."""
    parts = []
    for part in objects_in(call, "content"):
        if part.get("type") == "diff":
            old, new = (text(part, name).splitlines() for name in ("oldText", "newText"))
            path = text(part, "path")
            if hunks := list(unified_diff(old, new)):
                parts.append("\n".join((f"--- {path}", f"+++ {path}", *hunks)))
        else:
            parts.append(text(mapping(part.get("content")), "text"))
    return "\n".join(filter(None, parts))


def edit_of(call: Payload) -> Payload | None:
    """Return the first diff of a call as the input of an edit."""
    for part in objects_in(call, "content"):
        if part.get("type") == "diff":
            return {
                "file_path": text(part, "path"),
                "old_string": text(part, "oldText"),
                "new_string": text(part, "newText"),
            }
    return None


def arguments(encoded: str) -> Payload | None:
    """Return the object that a text encodes, or None."""
    try:
        value = json.loads(encoded)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def output_of(update: Payload) -> str:
    """Return the result of a call."""
    raw = update.get("rawOutput")
    if body := body_of(update):
        return body
    if isinstance(raw, str):
        return raw
    return next((text(mapping(raw), name) for name in _RESULTS if text(mapping(raw), name)), "")
