"""Parse the call of an MCP tool from the screen."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from clawtap_claude.words import WORDS

_NEW = WORDS.pattern("mcp_tool.new")
_OLD = WORDS.pattern("mcp_tool.old")
_CUT = WORDS.pattern("mcp_tool.cut")
_NAME = re.compile(r"[\s,]*(?P<name>[\w-]+): ")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def mcp_tool(text: str) -> str | None:
    """Return the tool's own name from the words on the screen."""
    for line in text.split("\n"):
        match = _OLD.match(line.strip()) or _NEW.match(line.strip())
        if match:
            return f"mcp__{_named(match['server'])}__{_named(match['tool'].casefold())}"
    return None


def beginning_of_name(text: str) -> str | None:
    """Return what a screen shows of a name that the CLI has cut, or None if no name is cut.

    The names of the server and of its tool share a row; of a long one the tool's is not shown.
    """
    matches = (_CUT.fullmatch(line.strip()) for line in text.split("\n"))
    return next((match["shown"] for match in matches if match), None)


def _named(words: str) -> str:
    return _NOT_NAME.sub("_", words.strip())


def arguments(text: str) -> Mapping[str, Any] | None:
    """Return the `name: value` arguments, or None if one cannot be read."""
    match = _OLD.match(text.strip())
    rest = match["args"] if match else text
    values: dict[str, Any] = {}
    while rest.strip():
        name = _NAME.match(rest)
        if name is None:
            return None
        try:
            values[name["name"]], end = json.JSONDecoder().raw_decode(rest, name.end())
        except ValueError:
            return None
        rest = rest[end:]
    return values or None
