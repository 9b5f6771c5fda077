"""A tiny MCP server over stdio whose tools ask the user: forms, a page to open, a deletion."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Mapping
from typing import Any

_NOTHING = {"type": "object", "properties": {}}
_NOTE = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
_FORM = {
    "type": "object",
    "properties": {
        "version": {"type": "string", "title": "Version", "description": "Number to publish"},
        "channel": {"type": "string", "title": "Channel", "enum": ["stable", "beta", "nightly"]},
        "notify": {"type": "boolean", "title": "Notify users", "default": False},
    },
    "required": ["version", "channel"],
}
_COLOURS = ["red", "green", "blue", "dark grey"]
_EVERY_FIELD = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "count": {"type": "integer", "title": "Count", "minimum": 1, "maximum": 99},
        "ratio": {"type": "number", "title": "Ratio"},
        "urgent": {"type": "boolean", "title": "Urgent"},
        "loud": {"type": "boolean", "title": "Loud", "default": True},
        "colour": {"type": "string", "title": "Colour", "enum": _COLOURS},
        "mail": {"type": "string", "title": "Mail", "format": "email"},
        "note": {"type": "string", "title": "Note", "default": "as before"},
    },
    "required": ["name"],
}
_MANY_FIELDS = {
    "type": "object",
    "properties": {f"field{at}": {"type": "string", "title": f"Field {at}"} for at in range(1, 21)},
}
_ALIKE = {
    "type": "object",
    "properties": {
        "first": {"type": "string", "title": "Name", "description": "Of the first"},
        "second": {"type": "string", "title": "Name", "description": "Of the second"},
        "tags": {
            "type": "array",
            "title": "Tags",
            "items": {"type": "string", "enum": ["new", "old", "odd"]},
        },
        "day": {"type": "string", "title": "Day", "format": "date"},
    },
}
_TOWNS = {"type": "string", "enum": [f"town {at}" for at in range(1, 31)]}
_LONG_LIST = {"type": "object", "properties": {"town": {**_TOWNS, "title": "Town"}}}
_LONG_TICKS = {
    "type": "object",
    "properties": {"towns": {"type": "array", "title": "Towns", "items": _TOWNS}},
}
_READS = {"readOnlyHint": True, "openWorldHint": False}
_DELETES = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True}
_ASKS = {
    "ask_form": ("Please describe the release", _FORM),
    "ask_everything": ("Please say it all", _EVERY_FIELD),
    "ask_many": ("Please fill them all", _MANY_FIELDS),
    "ask_alike": ("Two of one name", _ALIKE),
    "ask_long_list": ("Which of many", _LONG_LIST),
    "ask_long_ticks": ("Some of many", _LONG_TICKS),
    "ask_confirm": ("Publish release 1.2.3?", _NOTHING),
}
_PAGE = {
    "mode": "url",
    "message": "Please sign in to the tracker",
    "url": "https://example.com/sign-in?a=1",
    "elicitationId": "sign-in",
}
TOOLS = [
    {"name": "read_note", "inputSchema": _NOTE, "annotations": _READS},
    {"name": "delete_note", "inputSchema": _NOTE, "annotations": _DELETES},
    *(
        {"name": name, "inputSchema": _NOTHING, "annotations": _READS}
        for name in (*_ASKS, "ask_page")
    ),
]
_numbers = itertools.count(1000)


def send(message: Mapping[str, Any]) -> None:
    """Say something to the CLI."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def elicit(params: Mapping[str, Any]) -> Any:
    """Ask the user, and answer the CLI's other requests meanwhile."""
    number = next(_numbers)
    send({"id": number, "method": "elicitation/create", "params": params})
    for line in sys.stdin:
        answer = json.loads(line)
        if answer.get("id") == number and "method" not in answer:
            return answer.get("result", answer.get("error"))
        handle(answer)
    return None


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """What a tool answers."""
    if name in _ASKS:
        message, schema = _ASKS[name]
        form = {"mode": "form", "message": message, "requestedSchema": schema}
        return json.dumps(elicit(form))
    if name == "ask_page":
        return json.dumps(elicit(_PAGE))
    return json.dumps({"done": name, "arguments": arguments})


def reply(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result or the error for one request."""
    if method == "initialize":
        server = {"name": "lab", "version": "1"}
        version = params["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        text = call(params["name"], params.get("arguments") or {})
        result = {"content": [{"type": "text", "text": text}]}
    elif method == "ping":
        result = {}
    else:
        return {"error": {"code": -32601, "message": f"no method {method}"}}
    return {"result": result}


def handle(message: Mapping[str, Any]) -> None:
    """Answer a request; notifications need no answer."""
    if message.get("id") is not None and message.get("method"):
        send({"id": message["id"], **reply(message["method"], message.get("params") or {})})


def main() -> None:
    """Answer every request on stdin until it closes."""
    for line in sys.stdin:
        if line.strip():
            handle(json.loads(line))


if __name__ == "__main__":
    main()
