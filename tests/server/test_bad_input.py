from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from clawtap_core.server.api import describe

ROUTES = [
    ("POST", "/api/sessions"),
    ("PATCH", "/api/sessions/s1"),
    ("POST", "/api/sessions/s1/message"),
    ("PATCH", "/api/sessions/s1/queue/m1"),
    ("POST", "/api/sessions/s1/approve"),
    ("POST", "/api/sessions/s1/deny"),
    ("POST", "/api/sessions/s1/submit-answers"),
    ("POST", "/api/sessions/s1/answer"),
    ("POST", "/api/sessions/s1/respond"),
    ("POST", "/api/sessions/s1/expand"),
    ("POST", "/api/sessions/s1/keys"),
    ("POST", "/api/sessions/s1/permission-mode"),
    ("POST", "/api/sessions/s1/model"),
    ("POST", "/api/devices"),
    ("POST", "/api/login"),
]
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"{", "bad_json"),
        (b"[]", "bad_json"),
        (b'"text"', "bad_json"),
        (b"\xff\xfe", "bad_json"),
        (b'{"a": NaN}', "bad_json"),
        (b'{"a": ' + b"9" * 5000 + b"}", "bad_json"),
        (b'{"a": 1, "a": 2}', "bad_json"),
        (b'{"a": {"b": 1, "b": 1}}', "bad_json"),
        (b'{"a": "\\u0000"}', "bad_text"),
        (b'{"a": "\\ud800"}', "bad_text"),
        (b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}", "too_deep"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too_deep"),
    ],
    ids=[
        *("cut", "list", "text", "bytes", "nan", "digits", "twice", "twice-inside", "nul"),
        *("surrogate", "deep", "abyss"),
    ],
)
def test_malformed_json_is_400(
    client: Any, fake: Any, code: Any, method: str, path: str, data: bytes, expected: str
) -> None:
    answer = client.open(path, method=method, data=data, headers=JSON)
    assert (answer.status_code, code(answer)) == (400, expected)
    assert fake.said == []


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"a": ' + b"9" * 5000 + b"}", "a number has more than 400 digits"),
        (b'{"a": 1, "a": 2}', 'it names "a" twice'),
        # Nobody else is served meanwhile, so this must not take time for each pair of fields.
        (
            json.dumps({str(n): 0 for n in range(60_000)})[:-1].encode() + b', "59999": 1}',
            'it names "59999" twice',
        ),
        (b'{"a": "\xff"}', "byte 7 is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "byte 0 is not UTF-8"),
    ],
    ids=["digits", "twice", "twice-in-many", "bytes", "utf-16"],
)
def test_malformed_json_is_described_without_words_of_python(
    client: Any, data: bytes, sentence: str
) -> None:
    answer = client.post("/api/sessions", data=data, headers=JSON)
    assert answer.json["error"] == f"the body is not valid JSON: {sentence}"


@pytest.mark.parametrize("value", ["yes", "false", "off", 1, 0, []])
@pytest.mark.parametrize(
    ("method", "path", "body", "name"),
    [
        ("PATCH", "/api/sessions/s1", {}, "archived"),
        ("POST", "/api/sessions/restore", {}, "dryRun"),
        ("PUT", "/api/sessions/s1/muted", {}, "muted"),
        ("PATCH", "/api/notices", {}, "buttons"),
        ("POST", "/api/prompts", {"type": "permission", "title": "x"}, "truncated"),
    ],
)
def test_true_and_false_are_those_of_json(
    client: Any, fake: Any, code: Any, method: str, path: str, body: Any, name: str, value: Any
) -> None:
    answer = client.open(path, method=method, json={**body, name: value})
    assert (answer.status_code, code(answer)) == (400, "bad_request"), answer.json
    assert name in answer.json["details"]
    assert fake.said == []


@pytest.mark.parametrize("path", ["/api/sessions", "/api/events", "/api/journal", "/healthz"])
def test_a_query_of_other_bytes_is_400(client: Any, code: Any, path: str) -> None:
    answer = client.get(path, environ_overrides={"QUERY_STRING": "limit=\xff"})
    assert (answer.status_code, code(answer)) == (400, "bad_text")


def test_the_token_is_looked_at_before_the_query(stranger: Any, code: Any) -> None:
    answer = stranger.get("/api/sessions", environ_overrides={"QUERY_STRING": "limit=\xff"})
    assert (answer.status_code, code(answer)) == (401, "unauthorized")


def test_a_request_without_a_host_is_told_so(client: Any, code: Any) -> None:
    answer = client.get("/api/sessions", environ_overrides={"HTTP_HOST": ""})
    assert (answer.status_code, code(answer)) == (403, "host_not_allowed")
    assert answer.json["error"] == "the request has no Host header"


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_an_empty_body_is_400(client: Any, fake: Any, method: str, path: str) -> None:
    answer = client.open(path, method=method)
    assert answer.status_code == 400
    assert answer.get_json()["error"]
    assert fake.said == []


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", ""])
def test_another_content_type_is_400(client: Any, code: Any, kind: str) -> None:
    answer = client.post("/api/sessions/s1/message", data=b'{"message": "x"}', content_type=kind)
    assert (answer.status_code, code(answer)) == (400, "not_json")


def test_a_form_is_not_taken_for_json(client: Any, code: Any) -> None:
    answer = client.post("/api/sessions/s1/message", data={"message": "x"})
    assert (answer.status_code, code(answer)) == (400, "not_json")


def test_a_huge_body_is_413(client: Any, fake: Any, code: Any) -> None:
    body = json.dumps({"message": "x" * 1_100_000})
    answer = client.post("/api/sessions/s1/message", data=body, headers=JSON)
    assert (answer.status_code, code(answer)) == (413, "too_large")
    assert fake.said == []


def test_wrong_fields_are_named(client: Any, code: Any) -> None:
    answer = client.post("/api/sessions/s1/message", json={"message": 7})
    assert code(answer) == "bad_request"
    assert "message" in answer.get_json()["error"]
    assert "message" in answer.get_json()["details"]


def test_input_is_looked_at_before_the_session(client: Any) -> None:
    assert client.post("/api/sessions/s9/message", json={}).status_code == 400


def test_the_token_is_looked_at_before_the_input(stranger: Any) -> None:
    assert stranger.post("/api/sessions/s1/message", data=b"{", headers=JSON).status_code == 401


def test_an_unknown_route_is_json(client: Any, code: Any) -> None:
    answer = client.get("/api/nothing")
    assert (answer.status_code, code(answer)) == (404, "no_such_route")


@pytest.mark.parametrize("path", ["/api//sessions", "//api/sessions", "/api/sessions//s1"])
def test_an_address_with_an_empty_part_is_an_unknown_route(
    client: Any, code: Any, path: str
) -> None:
    answer = client.get(f"http://localhost{path}")
    assert (answer.status_code, code(answer)) == (404, "no_such_route")


def test_an_unknown_method_is_json_and_names_the_known(client: Any, code: Any) -> None:
    answer = client.put("/api/sessions")
    assert (answer.status_code, code(answer)) == (405, "method_not_allowed")
    assert "POST" in answer.headers["Allow"]


def test_a_fault_of_ours_shows_no_traceback(client: Any, fake: Any, code: Any, caplog: Any) -> None:
    fake.fails = RuntimeError("secret detail")
    with caplog.at_level(logging.ERROR):
        answer = client.get("/api/sessions")
    assert (answer.status_code, code(answer)) == (500, "internal_error")
    assert "secret" not in answer.get_data(as_text=True)
    assert "secret detail" in caplog.text


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
FIELDS = """adapter cwd adopt message model mode title requestId toolCallId answers decision
option reason selectedOption textValue keys text screenRev name token code args cols"""
NAMES = st.sampled_from(FIELDS.split())


@pytest.mark.parametrize(("method", "path"), ROUTES)
@tuned(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.dictionaries(NAMES, JUNK, max_size=5))
def test_no_body_breaks_the_server(
    client: Any, method: str, path: str, body: dict[str, Any]
) -> None:
    answer = client.open(path, method=method, json=body)
    assert answer.status_code in (200, 201, 202, 400, 401, 404, 409, 422, 429)
    if answer.status_code >= 400:
        assert set(answer.get_json()) <= {"error", "code", "details"}


def _filled(path: str) -> str:
    names = {"session_id": "s1", "request_id": "r1", "adapter": "demo", "event": "stop"}
    return re.sub(r"\{(\w+)\}", lambda match: names.get(match[1], "x1"), path)


OPERATIONS = [
    pytest.param(method, _filled(path), operation, id=f"{method} {path}")
    for path, operations in describe()["paths"].items()
    for method, operation in operations.items()
    if method != "parameters"
]


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_what_a_route_does_not_read_is_refused_by_name(
    client: Any, fake: Any, code: Any, method: str, path: str, operation: Any
) -> None:
    takes = operation.get("requestBody", {}).get("content", {})
    sent = [] if takes else [{"query_string": {"shrug": 1}}]
    # Of a CLI's hook only the adapter knows the fields, and a file has none.
    if "hooks" not in path and "*/*" not in takes:
        sent.append({"json": {"shrug": 1}})
    for inputs in sent:
        answer = client.open(path, method=method, **inputs)
        assert (answer.status_code, code(answer)) == (400, "bad_request"), answer.json
        assert answer.json["details"]["shrug"] == ["Unknown field."]
        if len(answer.json["details"]) == 1:
            assert answer.json["error"].startswith("unknown field: shrug (")
    assert fake.said == []


def test_a_query_that_a_route_does_not_read_is_refused_with_a_body_too(
    client: Any, code: Any
) -> None:
    answer = client.post("/api/sessions/s1/message?shrug=1", json={"message": "hello"})
    assert (answer.status_code, code(answer)) == (400, "bad_request")
    assert answer.json["error"] == "unknown field: shrug (none is known here)"


@pytest.mark.parametrize("path", ["/api/sessions", "/api/pending", "/healthz", "/api/desk"])
def test_a_body_of_nothing_and_the_name_of_a_machine_are_taken_everywhere(
    client: Any, path: str
) -> None:
    assert client.get(path, json={}).status_code == 200
    assert client.get(path, query_string={"machine": ""}).status_code == 200
