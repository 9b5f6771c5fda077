"""The replies that openapi.json describes are those that clients know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.server.api import describe

KNOWN = json.loads(Path(__file__).with_name("replies.json").read_text(encoding="utf-8"))


def short(schema: dict[str, Any]) -> str:
    """What matters to a client: the type, and of what."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "allOf" in schema:
        return short(schema["allOf"][0])
    if "enum" in schema:
        return "|".join(str(member) for member in schema["enum"])
    kind = str(schema.get("type", "anything"))
    return f"[{short(schema['items'])}]" if kind == "array" else schema.get("format", kind)


def essence(schema: dict[str, Any]) -> dict[str, str]:
    needed = schema.get("required", ())
    return {
        name: short(inner) + (" !" if name in needed else "")
        for name, inner in schema["properties"].items()
    }


@pytest.mark.parametrize("name", KNOWN)
def test_a_reply_has_the_fields_that_clients_know(name):
    described = essence(describe()["components"]["schemas"][name])
    assert {field: described.get(field) for field in KNOWN[name]} == KNOWN[name]


def test_every_route_names_the_errors_that_any_request_can_get():
    for path, operations in describe()["paths"].items():
        for method, operation in operations.items():
            if method != "parameters":
                assert {"400", "414"} <= set(operation["responses"]), (method, path)


def test_what_is_not_for_clients_is_not_described():
    schemas = describe()["components"]["schemas"]
    hidden = {"Option": ["data"], "Prompt": ["subject", "takesReason"], "Device": ["digest"]}
    assert all(name in schemas for name in hidden)
    assert not [
        f for name, fields in hidden.items() for f in fields if f in schemas[name]["properties"]
    ]
