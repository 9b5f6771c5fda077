"""A tiny MCP server over stdio, for MCP prompts: the tools greet(name) and add(a, b)."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

NUMBER, STRING = {"type": "number"}, {"type": "string"}
TOOLS = (
    {
        "name": "greet",
        "description": "Greets a person by name.",
        "inputSchema": {"type": "object", "properties": {"name": STRING}, "required": ["name"]},
    },
    {
        "name": "add",
        "description": "Adds two numbers.",
        "inputSchema": {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}},
    },
)


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """What a tool answers."""
    if name == "greet":
        return f"Hello {arguments.get('name')}"
    # Words, since a CLI may take a text that is all JSON for structured content.
    return f"The sum is {arguments.get('a', 0) + arguments.get('b', 0)}"


def reply(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result or the error for one request."""
    if method == "initialize":
        server = {"name": "labmcp", "version": "1"}
        version = params["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    elif method == "tools/list":
        result = {"tools": list(TOOLS)}
    elif method == "tools/call":
        text = call(params["name"], params.get("arguments") or {})
        result = {"content": [{"type": "text", "text": text}]}
    elif method == "ping":
        result = {}
    else:
        return {"error": {"code": -32601, "message": f"no method {method}"}}
    return {"result": result}


def main() -> None:
    """Answer every request on stdin until it closes."""
    for line in sys.stdin:
        message = json.loads(line) if line.strip() else {}
        if message.get("id") is not None:
            answer = reply(message["method"], message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
