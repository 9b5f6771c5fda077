from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import clawtap_core

PAGE = Path(clawtap_core.__file__).parents[1] / "docs" / "api.md"
TEXT = PAGE.read_text()
EXAMPLES = re.findall(r"^```http\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def _routes(client: Any) -> set[tuple[str, str]]:
    paths = client.get("/api/openapi.json").get_json()["paths"]
    return {
        (method.upper(), path)
        for path, reported in paths.items()
        for method in reported.keys() - {"parameters"}
    }


def test_every_route_is_in_openapi(app: Any, client: Any) -> None:
    served = {
        (method, re.sub(r"<(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert _routes(client) == served


def test_every_route_is_documented_with_an_example(client: Any) -> None:
    headed = set(re.findall(r"^### `(\w+) (/\S+)`$", TEXT, re.MULTILINE))
    assert headed == _routes(client)
    for section in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        assert "```http" in section, section.splitlines()[0]


def _in_backticks(names: set[str]) -> set[str]:
    quoted = " ".join(re.findall(r"`([^`]*)`", TEXT))
    return {name for name in names if re.search(rf"\b{name}\b", quoted)}


@pytest.mark.parametrize(
    "schema", ["Prompt", "Option", "Question", "Resolution", "Session", "StoredSession"]
)
def test_every_field_is_named(client: Any, schema: str) -> None:
    fields = set(
        client.get("/api/openapi.json").get_json()["components"]["schemas"][schema]["properties"]
    )
    assert _in_backticks(fields) == fields


def test_every_field_of_an_event_is_named(client: Any) -> None:
    schemas = client.get("/api/openapi.json").get_json()["components"]["schemas"]
    events = [event["properties"]["data"] for event in schemas["StreamEvent"]["oneOf"]]
    fields = {name for data in events for name in data.get("properties", ())}
    assert _in_backticks(fields) == fields


@pytest.mark.parametrize("example", EXAMPLES, ids=[text.split("\n")[0] for text in EXAMPLES])
def test_the_examples_are_true(client: Any, example: str) -> None:
    asked, _, reported = example.partition("\n\n")
    line, _, body = asked.partition("\n")
    method, path = line.split()
    status, _, reply = reported.partition("\n")
    answer = client.open(
        path,
        method=method,
        json=json.loads(body) if body else None,
        buffered=not path.endswith("/events"),
    )
    assert answer.status_code == int(status)
    if reply.strip():
        _holds(answer.get_json(), json.loads(reply))
    answer.close()


def _holds(found: Any, documented: Any) -> None:
    """Whether what came has everything that the example shows."""
    if isinstance(documented, dict):
        for name, inner in documented.items():
            assert name in found
            _holds(found[name], inner)
    elif isinstance(documented, list):
        for one, other in zip(found, documented, strict=False):
            _holds(one, other)
    elif documented not in ("…", "", "ABCDE-FGHJK") and not _varies(documented):
        assert found == documented


def _varies(text: Any) -> bool:
    return isinstance(text, str) and (text.startswith(("20", "http")) or text == "0.1.0")


def test_openapi_says_how_to_get_in(client: Any) -> None:
    reply = client.get("/api/openapi.json").get_json()
    assert reply["security"] == [{"token": []}]
    assert reply["paths"]["/api/login"]["post"]["security"] == []
    error = reply["components"]["schemas"]["Error"]["properties"]
    assert set(error) == {"error", "code", "details"}
    body = reply["paths"]["/api/sessions/{session_id}/submit-answers"]["post"]["requestBody"]
    assert body["content"]["application/json"]["schema"]["$ref"].endswith("/AnswersBody")
