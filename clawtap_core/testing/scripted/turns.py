"""Turns of a scripted model, as they are in a scenario, made of their parts."""

from __future__ import annotations

from typing import Any

Part = dict[str, Any]
TurnObject = dict[str, Any]


def call(tool: str, **arguments: Any) -> Part:
    """One call of a tool."""
    return {"call": {"name": tool, "args": arguments}}


def turn(*parts: Part, text: str = "", **extra: Any) -> TurnObject:
    """A turn of several parts, with a text before them."""
    before: tuple[Part, ...] = ({"text": text},) if text else ()
    return {"parts": [*before, *parts], **extra}
