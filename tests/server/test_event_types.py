from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clawtap_core
from clawtap_core.model.event_types import EVENT_DATA, EventType

ROOT = Path(clawtap_core.__file__).parents[1]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
NAMES = {str(name) for name in EventType}


def _made() -> Iterator[str]:
    """Every name that an event is made with, in the core and in the adapters."""
    for folder in ("clawtap_core", "plugins"):
        for path in (ROOT / folder).rglob("*.py"):
            if "tests" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and node.args
                    and isinstance(node.args[0], ast.Constant)
                ):
                    function = node.func
                    name = getattr(function, "attr", getattr(function, "id", ""))
                    if name in ("Event", "AgentEvent", "noted", "typed"):
                        yield node.args[0].value


def test_every_event_has_a_name_and_a_type() -> None:
    assert set(_made()) <= NAMES
    assert set(EVENT_DATA) == set(EventType)


def test_the_docs_list_every_event() -> None:
    table = PAGE.partition("| event | data |")[2].partition("\n\n")[0]
    names = [
        cell for row in table.splitlines()[2:] for cell in re.findall(r"`(\w+)`", row.split("|")[1])
    ]
    assert sorted(names) == sorted(NAMES)


def test_openapi_describes_every_event(client: Any) -> None:
    schemas = client.get("/api/openapi.json").get_json()["components"]["schemas"]
    events = {
        event["properties"]["event"]["enum"][0]: event["properties"]["data"]
        for event in schemas["StreamEvent"]["oneOf"]
    }
    assert set(events) == NAMES
    assert events["approval_required"]["$ref"].rpartition("/")[2] in schemas
    assert set(events["tool_call_delta"]["properties"]) == {
        "sessionId",
        "toolCallId",
        "messageId",
        "delta",
    }
    assert events["text_delta"]["required"] == ["sessionId"]
